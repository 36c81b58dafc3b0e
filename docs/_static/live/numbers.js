// Numbers as print has them: real minus signs, raised powers, units.

const RAISED = { "-": "\u207B", 0: "\u2070", 1: "\u00B9", 2: "\u00B2", 3: "\u00B3", 4: "\u2074", 5: "\u2075",
                 6: "\u2076", 7: "\u2077", 8: "\u2078", 9: "\u2079" };

// With so many digits after the point, and the unit.
export function written(x, digits, unit = "") {
  const text = Number.isFinite(x) ? x.toFixed(digits).replace(/^-(0(\.0*)?)$/, "$1").replace("-", "\u2212") : "\u2013";
  if (!unit) return text;
  return unit === "°" ? text + unit : `${text}\u00A0${unit}`;
}

// A very large or very small number: 3.2 times a power of ten.
export function small(x, unit = "") {
  if (x === 0 || !Number.isFinite(x)) return written(x, 0, unit);
  const [digits, exponent] = x.toExponential(1).split("e");
  return `${digits.replace("-", "\u2212")}\u00B7${power(Number(exponent))}\u00A0${unit}`;
}

// 10 to a whole power; nothing for other powers.
export function power(exponent) {
  const whole = Math.round(exponent);
  if (Math.abs(exponent - whole) > 1e-9) return "";
  return "10" + [...String(whole)].map(letter => RAISED[letter]).join("");
}

// As short as it can be said.
export function plain(x) {
  return String(Number(x.toPrecision(6))).replace("-", "\u2212");
}
