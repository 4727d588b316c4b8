// Values under the pointer of a plot; the arrow keys move the same cursor.
"use strict";
for (const svg of document.querySelectorAll("svg.plot")) {
  const [left, right, bottom, top] = svg.dataset.frame.split(" ").map(Number);
  const [x0, x1, y0, y1] = svg.dataset.range.split(" ").map(Number);
  const readout = svg.parentNode.querySelector(".readout");
  const lines = [...svg.querySelectorAll("polyline")].map((line) => ({
    name: line.dataset.label,
    points: line.getAttribute("points").split(" ").map((pair) => pair.split(",").map(Number)),
  })).filter((line) => line.points.length > 1);
  if (!lines.length) continue;
  const cursor = document.createElementNS("http://www.w3.org/2000/svg", "line");
  cursor.setAttribute("class", "cursor");
  cursor.setAttribute("y1", top);
  cursor.setAttribute("y2", bottom);
  let at = left;

  const short = (value) => String(Number(value.toPrecision(5)));
  const nearest = (points, x) => points.reduce((a, b) => Math.abs(b[0] - x) < Math.abs(a[0] - x) ? b : a);
  const show = (x) => {
    at = Math.min(right, Math.max(left, x));
    const value = x0 + (at - left) / (right - left) * (x1 - x0);
    const there = lines.filter(({ points }) => points[0][0] - 2 <= at && at <= points.at(-1)[0] + 2);
    const said = there.map((line) => {
      const [, y] = nearest(line.points, at);
      return `${line.name} ${short(y0 + (bottom - y) / (bottom - top) * (y1 - y0))}`;
    });
    cursor.setAttribute("x1", at);
    cursor.setAttribute("x2", at);
    svg.append(cursor);
    readout.textContent = `${svg.dataset.x} ${short(value)}: ${said.join(", ")}`;
  };
  svg.addEventListener("pointermove", (event) => {
    const box = svg.getBoundingClientRect();
    show((event.clientX - box.left) / box.width * svg.viewBox.baseVal.width);
  });
  svg.addEventListener("pointerleave", () => { cursor.remove(); readout.textContent = ""; });
  svg.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -4, ArrowRight: 4 }[event.key];
    if (!step) return;
    event.preventDefault();
    show(at + step);
  });
}
// The cell of a matrix under the pointer; the arrow keys go from cell to cell.
for (const svg of document.querySelectorAll("svg.matrix")) {
  const size = Number(svg.dataset.size), readout = svg.parentNode.querySelector(".readout");
  const cells = new Map([...svg.querySelectorAll(".cell")].map((cell) => [cell.dataset.at, cell]));
  let place = [0, 0], marked = null;

  const mark = (cell) => {
    marked?.classList.remove("at");
    marked = cell;
    marked?.classList.add("at");
    readout.textContent = cell ? cell.querySelector("title").textContent : "";
  };
  svg.addEventListener("pointermove", (event) => {
    const cell = event.target.closest(".cell");
    if (cell) place = cell.dataset.at.split(" ").map(Number);
    mark(cell);
  });
  svg.addEventListener("pointerleave", () => mark(null));
  svg.addEventListener("keydown", (event) => {
    const [down, right] = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key] ?? [];
    if (down === undefined) return;
    event.preventDefault();
    // On to the next cell that is there, and no farther than the last one.
    for (let [row, column] = place; ;) {
      row += down;
      column += right;
      if (row < 0 || column < 0 || row >= size || column >= size) break;
      const cell = cells.get(`${row} ${column}`);
      if (!cell) continue;
      place = [row, column];
      mark(cell);
      break;
    }
    if (!marked) readout.textContent = `Rank ${place[0]} to rank ${place[1]}: nothing`;
  });
}
