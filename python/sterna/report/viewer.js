// Particles as spheres: each is a square that faces the eye, and its pixels find their depth.
{
  const SPHERES = `#version 300 es
    layout(location = 0) in vec2 corner;
    layout(location = 1) in vec3 fraction;
    layout(location = 2) in vec3 tint;
    uniform mat3 edges, turn;
    uniform float radius, reach, aspect;
    out vec2 place;
    out vec3 color;
    out float depth;
    void main() {
      vec3 seen = turn * (edges * (fraction - 0.5));
      place = corner;
      color = tint;
      depth = seen.z;
      gl_Position = vec4((seen.xy + corner * radius) / reach / vec2(aspect, 1.0), -seen.z / (6.0 * reach), 1.0);
    }`;
  const SHADE = `#version 300 es
    precision highp float;
    in vec2 place;
    in vec3 color;
    in float depth;
    uniform float radius, reach, extent;
    uniform vec3 ground;
    out vec4 result;
    void main() {
      float inside = 1.0 - dot(place, place);
      if (inside < 0.0) discard;
      vec3 normal = vec3(place, sqrt(inside));
      float z = depth + radius * normal.z;
      gl_FragDepth = 0.5 - 0.5 * z / (6.0 * reach);
      float light = 0.35 + 0.65 * max(0.0, dot(normal, normalize(vec3(0.4, 0.6, 0.8))));
      float far = clamp(0.5 - z / (2.0 * extent), 0.0, 1.0);
      result = vec4(mix(color * light, ground, 0.4 * far), 1.0);
    }`;
  // A bond is a flat strip that faces the eye, shaded as a rod.
  const STICKS = `#version 300 es
    layout(location = 0) in vec2 corner;
    layout(location = 1) in vec3 from;
    layout(location = 2) in vec3 to;
    uniform mat3 edges, turn;
    uniform float radius, reach, aspect;
    out float across;
    out float depth;
    void main() {
      vec3 a = turn * (edges * (from - 0.5)), b = turn * (edges * (to - 0.5));
      vec3 seen = mix(a, b, 0.5 + 0.5 * corner.y);
      vec2 along = b.xy - a.xy;
      vec2 side = length(along) > 0.0 ? normalize(vec2(-along.y, along.x)) : vec2(0.0);
      across = corner.x;
      depth = seen.z;
      gl_Position = vec4((seen.xy + side * corner.x * radius) / reach / vec2(aspect, 1.0), -seen.z / (6.0 * reach), 1.0);
    }`;
  const ROD = `#version 300 es
    precision highp float;
    in float across;
    in float depth;
    uniform float radius, reach, extent;
    uniform vec3 ground, color;
    out vec4 result;
    void main() {
      float up = sqrt(max(0.0, 1.0 - across * across));
      float z = depth + radius * up;
      gl_FragDepth = 0.5 - 0.5 * z / (6.0 * reach);
      float far = clamp(0.5 - z / (2.0 * extent), 0.0, 1.0);
      result = vec4(mix(color * (0.35 + 0.6 * up), ground, 0.4 * far), 1.0);
    }`;
  const RIBBONS = `#version 300 es
    layout(location = 0) in vec3 place;
    layout(location = 1) in vec3 across;
    layout(location = 2) in vec3 tint;
    uniform mat3 edges, turn;
    uniform float reach, aspect;
    out vec3 normal, color;
    out float depth;
    void main() {
      vec3 seen = turn * (place - edges * vec3(0.5));
      normal = turn * across;
      color = tint;
      depth = seen.z;
      gl_Position = vec4(seen.xy / reach / vec2(aspect, 1.0), -seen.z / (6.0 * reach), 1.0);
    }`;
  const SURFACE = `#version 300 es
    precision highp float;
    in vec3 normal, color;
    in float depth;
    uniform float extent;
    uniform vec3 ground;
    out vec4 result;
    void main() {
      float light = 0.35 + 0.65 * max(0.0, dot(normalize(normal), normalize(vec3(0.4, 0.6, 0.8))));
      float far = clamp(0.5 - depth / (2.0 * extent), 0.0, 1.0);
      result = vec4(mix(color * light, ground, 0.4 * far), 1.0);
    }`;
  const LINES = `#version 300 es
    layout(location = 0) in vec3 fraction;
    uniform mat3 edges, turn;
    uniform float reach, aspect;
    void main() {
      vec3 seen = turn * (edges * (fraction - 0.5));
      gl_Position = vec4(seen.xy / reach / vec2(aspect, 1.0), -seen.z / (6.0 * reach), 1.0);
    }`;
  const PLAIN = `#version 300 es
    precision highp float;
    uniform vec3 color;
    out vec4 result;
    void main() { result = vec4(color, 1.0); }`;

  async function inflate(packed) {
    const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  }

  async function unpack(data) {
    const planes = await inflate(data.packed);
    const size = data.particles * 3, all = data.frames * size;
    const positions = new Uint16Array(all);
    for (let k = 0; k < all; ++k) {
      const before = k >= size ? positions[k - size] : 0;
      positions[k] = before + planes[k] + 256 * planes[all + k];
    }
    return Array.from({ length: data.frames }, (_, f) => positions.subarray(f * size, (f + 1) * size));
  }

  function program(gl, vertex, fragment) {
    const made = gl.createProgram();
    for (const [kind, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, source.trim());
      gl.compileShader(shader);
      gl.attachShader(made, shader);
    }
    gl.linkProgram(made);
    if (!gl.getProgramParameter(made, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(made));
    const uniforms = {};
    for (let k = 0; k < gl.getProgramParameter(made, gl.ACTIVE_UNIFORMS); ++k) {
      const { name } = gl.getActiveUniform(made, k);
      uniforms[name.replace("[0]", "")] = gl.getUniformLocation(made, name);
    }
    return { made, uniforms };
  }

  const multiply = (a, b) => a.map((_, k) => [0, 1, 2].reduce((sum, i) => sum + a[i * 3 + k % 3] * b[Math.floor(k / 3) * 3 + i], 0));
  const rotation = (x, y) => {
    const [cx, sx, cy, sy] = [Math.cos(x), Math.sin(x), Math.cos(y), Math.sin(y)];
    return multiply([1, 0, 0, 0, cx, sx, 0, -sx, cx], [cy, 0, -sy, 0, 1, 0, sy, 0, cy]);
  };
  const rgb = (name) => {
    const value = getComputedStyle(document.documentElement).getPropertyValue(name).trim().slice(1);
    return [0, 2, 4].map((k) => parseInt(value.slice(k, k + 2), 16) / 255);
  };

  // Of kinetic energies, whose mean is 64: blue below, red above; the style sheet's .scale is the same.
  const SCALE = Array.from({ length: 256 }, (_, level) => {
    const [from, to, way] = level < 64
      ? [[47, 111, 214], [233, 225, 204], level / 64] : [[233, 225, 204], [194, 47, 28], (level - 64) / 191];
    return from.map((part, k) => Math.round(part + (to[k] - part) * way));
  });

  // The rank in whose region each particle is, by fractions of the box.
  function ownersOf(regions, positions) {
    const owners = new Uint16Array(positions.length / 3);
    for (let i = 0; i < owners.length; ++i) {
      const inside = ([lower, upper]) => [0, 1, 2].every((a) => {
        const at = positions[3 * i + a] / 65536;
        return lower[a] <= at && at < upper[a];
      });
      owners[i] = Math.max(0, regions.findIndex(inside));
    }
    return owners;
  }

  function boxLines() {
    const corners = [];
    for (let a = 0; a < 3; ++a) {
      for (const [u, v] of [[0, 0], [0, 1], [1, 0], [1, 1]]) {
        for (const end of [0, 1]) {
          const corner = [];
          corner[a] = end;
          corner[(a + 1) % 3] = u;
          corner[(a + 2) % 3] = v;
          corners.push(...corner);
        }
      }
    }
    return corners;
  }

  // Pairs of particles, the second bonded to the first, by which molecules are followed from one atom on.
  function walks(bonds, count) {
    const partners = new Map();
    for (let k = 0; k + 1 < bonds.length; k += 2) {
      for (const [a, b] of [[bonds[k], bonds[k + 1]], [bonds[k + 1], bonds[k]]]) {
        if (!partners.has(a)) partners.set(a, []);
        partners.get(a).push(b);
      }
    }
    const reached = new Uint8Array(count), steps = [];
    for (const first of partners.keys()) {
      if (reached[first]) continue;
      reached[first] = 1;
      for (const queue = [first]; queue.length;) {
        const from = queue.pop();
        for (const to of partners.get(from)) {
          if (reached[to]) continue;
          reached[to] = 1;
          steps.push(from, to);
          queue.push(to);
        }
      }
    }
    return steps;
  }

  // Fractions of the box; each atom of a molecule at the image nearest to the one that it was reached from.
  function whole(positions, steps) {
    const result = Float32Array.from(positions, (part) => part / 65536);
    for (let k = 0; k < steps.length; k += 2) {
      const from = 3 * steps[k], to = 3 * steps[k + 1];
      for (let a = 0; a < 3; ++a) result[to + a] -= Math.round(result[to + a] - result[from + a]);
    }
    return result;
  }

  // Both ends of each bond. Those that close a ring through the box are left out.
  function bondEnds(bonds, places, isShown) {
    const ends = [];
    for (let k = 0; k + 1 < bonds.length; k += 2) {
      if (!isShown(bonds[k]) || !isShown(bonds[k + 1])) continue;
      const pair = [bonds[k], bonds[k + 1]].map((i) => places.subarray(3 * i, 3 * i + 3));
      if (pair[0].every((x, a) => Math.abs(x - pair[1][a]) < 0.5)) ends.push(...pair[0], ...pair[1]);
    }
    return new Float32Array(ends);
  }

  const plus = (a, b, times = 1) => a.map((x, k) => x + times * b[k]);
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const scaled = (a, by) => a.map((x) => x * by);
  const unit = (a) => scaled(a, 1 / (Math.hypot(...a) || 1));
  const apart = (a, b) => Math.hypot(...plus(a, b, -1));

  // Helices (H), strands (E) and what is neither (-), by the distances of CA atoms in nm: P-SEA,
  // Labesse et al., CABIOS 13, 291 (1997).
  function structureOf(atoms) {
    const letters = Array(atoms.length).fill("-");
    const within = (value, middle, width) => Math.abs(value - middle) <= width;
    const mark = (letter, fewest, is) => {
      for (let k = 0; k < atoms.length; ++k) {
        let end = k;
        while (end + 4 < atoms.length && is(end)) ++end;
        if (end > k && end - k + 4 >= fewest) {
          for (let i = k; i < end + 4; ++i) if (letters[i] === "-") letters[i] = letter;
        }
        k = Math.max(k, end);
      }
    };
    const distance = (k, n) => apart(atoms[k], atoms[k + n]);
    mark("H", 5, (k) => within(distance(k, 3), 0.53, 0.06) && within(distance(k, 4), 0.64, 0.08));
    const isFree = (k) => letters.slice(k, k + 5).every((letter) => letter !== "H");
    mark("E", 5, (k) => isFree(k) && within(distance(k, 2), 0.67, 0.06) && within(distance(k, 3), 0.99, 0.09) && within(distance(k, 4), 1.24, 0.11));
    return letters;
  }

  // Triangles of a ribbon through CA atoms: places, normals and colors, nine numbers for each corner.
  // `sides`: the directions from CA to O, across which it is wide.
  function ribbon(atoms, sides, letters, colors, size) {
    const count = atoms.length, SPLIT = 6, ROUND = 12;
    const at = (k) => atoms[Math.min(count - 1, Math.max(0, k))];
    // Strands are pleated, and are drawn straight.
    const knots = atoms.map((atom, k) => letters[k] === "E" && k > 0 && k < count - 1
      ? plus(scaled(atom, 0.5), plus(at(k - 1), at(k + 1)), 0.25) : atom);
    const knot = (k) => knots[Math.min(count - 1, Math.max(0, k))];
    const wide = sides.map(([...side]) => side);
    for (let k = 1; k < count; ++k) if (dot(wide[k], wide[k - 1]) < 0) wide[k] = scaled(wide[k], -1);
    const smooth = wide.map((side, k) => unit(plus(scaled(side, 2), plus(wide[Math.max(0, k - 1)], wide[Math.min(count - 1, k + 1)]))));
    // Half of width and thickness in nm; strands end as arrows.
    const shapes = { H: [0.11, 0.025], E: [0.09, 0.025], "-": [0.03, 0.03] };
    const endsStrand = (k) => letters[k] === "E" && letters[k + 1] !== "E";
    const rings = [];
    for (let step = 0; step <= (count - 1) * SPLIT; ++step) {
      const k = Math.min(count - 2, Math.floor(step / SPLIT)), t = step / SPLIT - k;
      const [a, b, c, d] = [k - 1, k, k + 1, k + 2].map(knot);
      const place = b.map((_, i) => 0.5 * (2 * b[i] + (c[i] - a[i]) * t + (2 * a[i] - 5 * b[i] + 4 * c[i] - d[i]) * t * t + (3 * b[i] - a[i] - 3 * c[i] + d[i]) * t ** 3));
      const along = unit(b.map((_, i) => (c[i] - a[i]) + 2 * (2 * a[i] - 5 * b[i] + 4 * c[i] - d[i]) * t + 3 * (3 * b[i] - a[i] - 3 * c[i] + d[i]) * t * t));
      const blend = plus(scaled(smooth[k], 1 - t), scaled(smooth[k + 1], t));
      const side = unit(plus(blend, along, -dot(blend, along))), up = cross(along, side);
      const [from, to] = [shapes[letters[k]], shapes[letters[k + 1]]];
      let [width, thickness] = from.map((x, i) => size * (x + (to[i] - x) * t));
      if (k > 0 && endsStrand(k)) width = size * (0.16 * (1 - t) + to[0] * t);
      const nearest = t < 0.5 ? k : k + 1;
      rings.push({ place, side, up, width, thickness, color: colors[{ H: 0, E: 1, "-": 2 }[letters[nearest]]] });
    }
    const corners = [];
    const corner = ({ place, side, up, width, thickness, color }, angle) => {
      const [x, y] = [Math.cos(angle), Math.sin(angle)];
      corners.push(...plus(plus(place, side, width * x), up, thickness * y), ...unit(plus(scaled(side, x / width), up, y / thickness)), ...color);
    };
    for (let r = 0; r + 1 < rings.length; ++r) {
      for (let k = 0; k < ROUND; ++k) {
        const [from, to] = [k, k + 1].map((n) => 2 * Math.PI * n / ROUND);
        for (const [ring, angle] of [[r, from], [r + 1, from], [r, to], [r, to], [r + 1, from], [r + 1, to]]) corner(rings[ring], angle);
      }
    }
    // Both ends are closed.
    for (const [ring, way] of [[rings[0], -1], [rings.at(-1), 1]]) {
      const outwards = scaled(cross(ring.side, ring.up), way);
      for (let k = 0; k < ROUND; ++k) {
        for (const angle of [null, 2 * Math.PI * k / ROUND, 2 * Math.PI * (k + 1) / ROUND]) {
          const rim = angle === null ? ring.place
            : plus(plus(ring.place, ring.side, ring.width * Math.cos(angle)), ring.up, ring.thickness * Math.sin(angle));
          corners.push(...rim, ...outwards, ...ring.color);
        }
      }
    }
    return corners;
  }

  // Ribbons of all proteins, and their structure in letters. `fractions` of the box, `edges` of it.
  function cartoon(backbones, fractions, edges, colors) {
    const corners = [], structure = [];
    const of = (i) => [...fractions.subarray(3 * i, 3 * i + 3)];
    const inSpace = (part) => [0, 1, 2].map((a) => part[0] * edges[a] + part[1] * edges[3 + a] + part[2] * edges[6 + a]);
    for (const [atoms, oxygens] of backbones) {
      const parts = [], chains = [];
      atoms.forEach((atom, k) => {
        let part = of(atom);
        if (k > 0) part = part.map((x, a) => x - Math.round(x - parts[k - 1][a]));
        parts.push(part);
        const place = inSpace(part);
        let side = [0, 0, 1];
        if (oxygens[k] >= 0) {
          const way = of(oxygens[k]).map((x, a) => x - part[a] - Math.round(x - part[a]));
          side = unit(inSpace(way));
        }
        // A gap in the chain, or another chain that a bridge of sulfur joins.
        if (k === 0 || apart(place, chains.at(-1).atoms.at(-1)) > 0.5) chains.push({ atoms: [], sides: [] });
        chains.at(-1).atoms.push(place);
        chains.at(-1).sides.push(side);
      });
      for (const chain of chains) {
        const letters = structureOf(chain.atoms);
        structure.push(letters.join(""));
        if (chain.atoms.length > 1) {
          for (const number of ribbon(chain.atoms, chain.sides, letters, colors, 1)) corners.push(number);
        }
      }
    }
    return { corners: new Float32Array(corners), structure: structure.join(" ") };
  }

  async function start(viewer) {
    const data = JSON.parse(viewer.querySelector("script").textContent);
    const canvas = viewer.querySelector("canvas");
    const gl = canvas.getContext("webgl2", { antialias: true, preserveDrawingBuffer: true });
    const step = viewer.querySelector(".step"), size = viewer.querySelector(".size");
    if (!gl) { step.textContent = "The browser draws no WebGL 2, which this picture needs."; return; }
    const frames = await unpack(data);
    const energies = data.energies ? await inflate(data.energies) : null;
    const spheres = program(gl, SPHERES, SHADE), lines = program(gl, LINES, PLAIN);
    const ribbons = program(gl, RIBBONS, SURFACE);
    const sticks = program(gl, STICKS, ROD), steps = walks(data.bonds, data.particles);

    const buffer = (values) => {
      const made = gl.createBuffer();
      gl.bindBuffer(gl.ARRAY_BUFFER, made);
      gl.bufferData(gl.ARRAY_BUFFER, values, gl.DYNAMIC_DRAW);
      return made;
    };
    const positions = buffer(frames[0]);
    const sphereArrays = gl.createVertexArray();
    gl.bindVertexArray(sphereArrays);
    buffer(new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]));
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
    gl.bindBuffer(gl.ARRAY_BUFFER, positions);
    gl.enableVertexAttribArray(1);
    gl.vertexAttribPointer(1, 3, ...(steps.length ? [gl.FLOAT, false] : [gl.UNSIGNED_SHORT, true]), 0, 0);
    gl.vertexAttribDivisor(1, 1);
    const tints = buffer(new Uint8Array(3 * data.particles));
    gl.enableVertexAttribArray(2);
    gl.vertexAttribPointer(2, 3, gl.UNSIGNED_BYTE, true, 0, 0);
    gl.vertexAttribDivisor(2, 1);
    const stickArrays = gl.createVertexArray();
    gl.bindVertexArray(stickArrays);
    buffer(new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]));
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
    const stickBuffer = buffer(new Float32Array(6));
    for (const end of [1, 2]) {
      gl.enableVertexAttribArray(end);
      gl.vertexAttribPointer(end, 3, gl.FLOAT, false, 24, 12 * (end - 1));
      gl.vertexAttribDivisor(end, 1);
    }
    const ribbonArrays = gl.createVertexArray();
    gl.bindVertexArray(ribbonArrays);
    const ribbonBuffer = buffer(new Float32Array(9));
    for (const part of [0, 1, 2]) {
      gl.enableVertexAttribArray(part);
      gl.vertexAttribPointer(part, 3, gl.FLOAT, false, 36, 12 * part);
    }
    const lineArrays = gl.createVertexArray();
    gl.bindVertexArray(lineArrays);
    const lineBuffer = buffer(new Float32Array(boxLines()));
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);

    const slider = viewer.querySelector(".frame"), play = viewer.querySelector(".play");
    let turn = rotation(0.35, -0.5), zoom = 1, frame = frames.length - 1, drawn = 0, playing = 0;

    const color = viewer.querySelector(".color");
    let owners = null;
    const kinds = [...viewer.querySelectorAll(".kind")];
    const waterButton = viewer.querySelector(".water"), isWater = new Set(data.water);
    let hidesWater = false;
    const cartoonButton = viewer.querySelector("button.cartoon"), ofProtein = new Set(data.protein);
    const structureColors = data.structureColors.map((hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255));
    let asCartoon = false;
    const isShown = (i) => !(hidesWater && isWater.has(i)) && !(asCartoon && ofProtein.has(i)) && (!kinds.length || kinds[data.species[i]].checked);
    // Three numbers for each particle, of those that are shown.
    function ofShown(numbers) {
      if (!hidesWater && !asCartoon && kinds.every((kind) => kind.checked)) return numbers;
      const result = new numbers.constructor(numbers.length);
      let end = 0;
      for (let i = 0; i < data.particles; ++i) {
        if (!isShown(i)) continue;
        for (let a = 0; a < 3; ++a) result[end++] = numbers[3 * i + a];
      }
      return result.subarray(0, end);
    }
    // Three bytes for each particle, by what was chosen.
    function colorsOf(frame) {
      const by = color ? color.value : data.element.length ? "element" : "type";
      const result = new Uint8Array(3 * data.particles);
      if (by === "energy") {
        const start = frame * data.particles;
        for (let i = 0; i < data.particles; ++i) result.set(SCALE[energies[start + i]], 3 * i);
        return result;
      }
      const palette = Array.from({ length: 8 }, (_, k) => rgb(`--c${k}`).map((part) => Math.round(255 * part)));
      if (by === "element") {
        const ofElements = data.elementColors.map((hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)));
        const none = [160, 160, 160];
        for (let i = 0; i < data.particles; ++i) result.set(ofElements[data.element[i]] ?? none, 3 * i);
        return result;
      }
      const numbers = by === "molecule" ? data.molecule : by === "rank" ? owners ??= ownersOf(data.regions, frames.at(-1)) : data.species;
      for (let i = 0; i < data.particles; ++i) result.set(palette[numbers[i] % 8], 3 * i);
      return result;
    }

    function draw() {
      drawn = 0;
      const wide = Math.round(canvas.clientWidth * Math.min(2, devicePixelRatio));
      if (wide && canvas.width !== wide) { canvas.width = wide; canvas.height = Math.round(wide * 2 / 3); }
      const edges = data.edges[frame].flat();
      const length = (k) => Math.hypot(...edges.slice(3 * k, 3 * k + 3));
      const extent = Math.hypot(length(0), length(1), length(2)) / 2;
      const volume = Math.abs(edges[0] * edges[4] * edges[8]);
      const radius = 0.42 * Math.cbrt(volume / data.particles) * size.value / 100 * (data.bonds.length ? 0.6 : 1);
      const ground = rgb("--raised"), shared = (uniforms) => {
        gl.uniformMatrix3fv(uniforms.edges, false, edges);
        gl.uniformMatrix3fv(uniforms.turn, false, turn);
        gl.uniform1f(uniforms.reach, extent / zoom);
        gl.uniform1f(uniforms.aspect, canvas.width / canvas.height);
      };
      gl.viewport(0, 0, canvas.width, canvas.height);
      gl.clearColor(...ground, 1);
      gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
      gl.enable(gl.DEPTH_TEST);

      gl.useProgram(spheres.made);
      shared(spheres.uniforms);
      gl.uniform1f(spheres.uniforms.radius, radius);
      gl.uniform1f(spheres.uniforms.extent, extent);
      gl.uniform3fv(spheres.uniforms.ground, ground);
      gl.bindVertexArray(sphereArrays);
      gl.bindBuffer(gl.ARRAY_BUFFER, positions);
      const all = steps.length ? whole(frames[frame], steps) : frames[frame];
      const places = ofShown(all);
      gl.bufferData(gl.ARRAY_BUFFER, places, gl.DYNAMIC_DRAW);
      gl.bindBuffer(gl.ARRAY_BUFFER, tints);
      gl.bufferData(gl.ARRAY_BUFFER, ofShown(colorsOf(frame)), gl.DYNAMIC_DRAW);
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, places.length / 3);

      if (steps.length) {
        const ends = bondEnds(data.bonds, all, isShown);
        gl.useProgram(sticks.made);
        shared(sticks.uniforms);
        gl.uniform1f(sticks.uniforms.radius, 0.4 * radius);
        gl.uniform1f(sticks.uniforms.extent, extent);
        gl.uniform3fv(sticks.uniforms.ground, ground);
        gl.uniform3fv(sticks.uniforms.color, rgb("--soft"));
        gl.bindVertexArray(stickArrays);
        gl.bindBuffer(gl.ARRAY_BUFFER, stickBuffer);
        gl.bufferData(gl.ARRAY_BUFFER, ends, gl.DYNAMIC_DRAW);
        gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, ends.length / 6);
      }

      if (asCartoon) {
        const fractions = steps.length ? all : Float32Array.from(all, (part) => part / 65536);
        const { corners, structure } = cartoon(data.backbones, fractions, edges, structureColors);
        canvas.dataset.structure = structure;
        gl.useProgram(ribbons.made);
        shared(ribbons.uniforms);
        gl.uniform1f(ribbons.uniforms.extent, extent);
        gl.uniform3fv(ribbons.uniforms.ground, ground);
        gl.bindVertexArray(ribbonArrays);
        gl.bindBuffer(gl.ARRAY_BUFFER, ribbonBuffer);
        gl.bufferData(gl.ARRAY_BUFFER, corners, gl.DYNAMIC_DRAW);
        gl.drawArrays(gl.TRIANGLES, 0, corners.length / 9);
      }

      gl.useProgram(lines.made);
      shared(lines.uniforms);
      gl.uniform3fv(lines.uniforms.color, rgb("--soft"));
      gl.bindVertexArray(lineArrays);
      gl.bindBuffer(gl.ARRAY_BUFFER, lineBuffer);
      gl.drawArrays(gl.LINES, 0, boxLines().length / 3);
      step.textContent = `step ${data.steps[frame]}`;
    }
    const later = () => { drawn ||= requestAnimationFrame(draw); };
    const show = (next) => {
      frame = (next + frames.length) % frames.length;
      if (slider) slider.value = frame;
      later();
    };
    const toggle = () => {
      if (!play) return;
      playing = playing ? clearInterval(playing) || 0 : setInterval(() => show(frame + 1), 100);
      play.textContent = playing ? "Pause" : "Play";
    };
    const rotate = (x, y) => { turn = multiply(rotation(x, y), turn); later(); };
    const enlarge = (factor) => { zoom = Math.min(20, Math.max(0.3, zoom * factor)); later(); };

    play?.addEventListener("click", toggle);
    slider?.addEventListener("input", () => show(Number(slider.value)));
    size.addEventListener("input", later);
    for (const kind of kinds) kind.addEventListener("change", later);
    waterButton?.addEventListener("click", () => {
      hidesWater = !hidesWater;
      waterButton.setAttribute("aria-pressed", hidesWater);
      waterButton.textContent = hidesWater ? "Show water" : "Hide water";
      later();
    });
    cartoonButton?.addEventListener("click", () => {
      asCartoon = !asCartoon;
      cartoonButton.setAttribute("aria-pressed", asCartoon);
      cartoonButton.textContent = asCartoon ? "Show all atoms" : "Show as cartoon";
      viewer.querySelector(".structure").hidden = !asCartoon;
      later();
    });
    color?.addEventListener("change", () => {
      for (const legend of viewer.querySelectorAll("[data-for]")) legend.hidden = legend.dataset.for !== color.value;
      later();
    });
    canvas.addEventListener("keydown", (event) => {
      const act = {
        ArrowLeft: () => rotate(0, -0.1), ArrowRight: () => rotate(0, 0.1),
        ArrowUp: () => rotate(-0.1, 0), ArrowDown: () => rotate(0.1, 0),
        "+": () => enlarge(1.15), "-": () => enlarge(1 / 1.15), " ": toggle,
      }[event.key];
      if (!act) return;
      event.preventDefault();
      act();
    });
    canvas.addEventListener("wheel", (event) => {
      // The page scrolls until the picture has been taken hold of.
      if (document.activeElement !== canvas) return;
      event.preventDefault();
      enlarge(Math.exp(-event.deltaY * 0.001));
    }, { passive: false });
    const held = new Map();
    const spread = () => {
      const [a, b] = [...held.values()];
      return Math.hypot(a[0] - b[0], a[1] - b[1]);
    };
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      held.set(event.pointerId, [event.clientX, event.clientY]);
    });
    canvas.addEventListener("pointermove", (event) => {
      const from = held.get(event.pointerId);
      if (!from) return;
      const before = held.size === 2 ? spread() : 0;
      held.set(event.pointerId, [event.clientX, event.clientY]);
      if (before) enlarge(spread() / before);
      else rotate((event.clientY - from[1]) * 0.01, (event.clientX - from[0]) * 0.01);
    });
    for (const name of ["pointerup", "pointercancel"]) {
      canvas.addEventListener(name, (event) => held.delete(event.pointerId));
    }
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", later);
    addEventListener("resize", later);
    matchMedia("print").addEventListener("change", draw);  // on paper at once
    draw();
    viewer.dataset.ready = "yes";
  }
  for (const viewer of document.querySelectorAll(".viewer")) {
    start(viewer).catch((error) => { viewer.querySelector(".step").textContent = `Not shown: ${error.message}`; console.error(error); });
  }
}
