// The colours of the book: those of rbdlib.draw, which any kind of colour vision can tell apart.

export const MOTION = "#0072B2";
export const FORCE = "#D55E00";
export const INERTIA = "#009E73";
export const HIGHLIGHT = "#E69F00";
export const AXIS_X = "#CC79A7";
export const AXIS_Z = "#56B4E9";
export const GREY = "#7F7F7F";
export const INK = "#262626";
export const BODY = "#DCE6EE";
export const GRID = "#E3E3E3";
export const PAPER = "#FFFFFF";
