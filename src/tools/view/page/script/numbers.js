// Numbers for people, as figures/scale.cpp writes them.
const units = [[86400, "d"], [1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"], [1e-12, "ps"]];
function unitFor(seconds) {
  const size = Math.abs(seconds);
  for (const unit of units) if (size >= unit[0] * 0.9995 && !(unit[0] > 1 && size < 864000)) return unit;
  return units[units.length - 1];
}
const formats = [];
const fixed = (value, behind) => (formats[behind] || (formats[behind] = new Intl.NumberFormat("en-US", {maximumFractionDigits: behind})))
  .format(value).replace("-", "−");
function duration(seconds) {
  if (seconds === 0) return "0";
  const [size, name] = unitFor(seconds);
  const before = Math.floor(Math.log10(Math.abs(seconds / size)) + 1e-9) + 1;
  return fixed(seconds / size, Math.min(9, Math.max(0, 3 - before))) + " " + name;
}
function ticks(from, to, most) {
  const [size, name] = unitFor(Math.max(Math.abs(from), Math.abs(to)));
  const rough = (to - from) / size / most, power = Math.pow(10, Math.floor(Math.log10(rough)));
  const step = [1, 2, 5, 10].map(f => f * power).find(s => s >= rough * 0.999);
  const behind = Math.min(15, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
  const last = to / size + step * 1e-3;
  const out = [];
  for (let k = Math.ceil(from / size / step - 1e-3); k * step <= last && out.length < 100; ++k)
    out.push([k * step * size, k === 0 ? "0" : fixed(k * step, behind) + " " + name]);
  return out;
}
