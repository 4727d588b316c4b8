def text_of(results): return str(len(results))
