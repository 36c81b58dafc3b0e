"""Controls that change a picture: `explore`; and `picture`, which says what it shows.

What a notebook saves is an ordinary PNG with a sentence that says what it shows, so that paper, the web and a reader
without a kernel see the picture too. Saved text contains nothing random, because the tests compare it.
"""

import base64
import html
import inspect
import io
import os
import sys
from collections import namedtuple
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg

from rbdlib.draw.style import figure_of, numbers, quiet_layout, spoken

# Controls


class Control(namedtuple("Control", "value limits options label unit", defaults=((), (), "", ""))):
    """One control of `explore`: a slider if it has limits, otherwise a choice among options."""

    def caption(self, name):
        """Text beside the control."""
        return (self.label or name) + (f" ({self.unit})" if self.unit else "")

    def widget(self, name, indent):
        """The ipywidgets control, with room for a caption of ``indent`` characters."""
        import ipywidgets

        look = {"description": self.caption(name), "style": {"description_width": f"{indent}ch"}}
        if self.limits:
            kind = ipywidgets.IntSlider if all(isinstance(x, int) for x in self.limits) else ipywidgets.FloatSlider
            low, high, step = self.limits
            look["layout"] = {"width": f"calc(24em + {indent}ch)"}
            return kind(value=self.value, min=low, max=high, step=step, **look)
        if self.options == (False, True):
            return ipywidgets.Checkbox(value=self.value, **look)
        return ipywidgets.Dropdown(value=self.value, options=self.options, **look)


def slider(min, max, step, value, label="", unit=""):
    """A slider for `explore` from min to max in the given steps, starting at value. Returns a `Control`.

    label: what is written beside it, instead of the argument's name. unit: "m", "rad", ... Whole numbers throughout
    make a slider of whole numbers. Raises ValueError if value is outside the limits or a step is not positive.
    """
    low, high, increment, start = numbers([min, max, step, value], 4, "the slider (min, max, step, value)")
    if not (low <= start <= high and low < high and increment > 0):
        raise ValueError(f"The slider has min={min}, max={max}, step={step}, value={value}; expected min < max, "
                         f"a value between them and a positive step.")
    whole = all(isinstance(x, int | np.integer) for x in (min, max, step, value))
    *limits, start = map(int if whole else float, (low, high, increment, start))
    return Control(start, tuple(limits), (), label, unit)


def _control(name, given):
    if isinstance(given, Control):
        return given
    if isinstance(given, bool):
        return Control(given, options=(False, True))
    if isinstance(given, tuple) and len(given) == 4:
        return slider(*given)
    if isinstance(given, list) and given:
        return Control(given[0], options=tuple(given))
    raise TypeError(f"The control {name} is {given!r}; expected (min, max, step, value), draw.slider(...), a list of "
                    f"choices, or True or False.")


class Picture(namedtuple("Picture", "png alt")):
    """A picture ready to be shown: PNG bytes, and a sentence for those who cannot see it."""

    def __repr__(self):
        return f"[picture: {self.alt}]"

    def _repr_mimebundle_(self, include=None, exclude=None):
        data = {"image/png": base64.b64encode(self.png).decode("ascii"), "text/plain": repr(self)}
        return data, {"image/png": {"alt": self.alt}}


def picture(drawing, alt):
    """A figure or axes as a still picture with a sentence that says what it shows. Returns a `Picture`.

    End a cell with it: ``draw.picture(ax, "A disc rolling to the right")``. The figure is closed, so that the notebook
    does not show it a second time. Raises ValueError if alt is empty.
    """
    if not (isinstance(alt, str) and alt.strip()):
        raise ValueError(f"alt is {alt!r}; expected a sentence for readers who cannot see the picture.")
    fig, buffer = figure_of(drawing), io.BytesIO()
    with quiet_layout(fig):                     # savefig would draw a figure twice, once to find its layout
        FigureCanvasAgg(fig).print_png(buffer, metadata={"Software": None})
    plt.close(fig)
    return Picture(buffer.getvalue(), alt)


def in_notebook():
    """True if this code runs in a Jupyter kernel, so that pictures can be displayed."""
    ipython = sys.modules.get("IPython")
    return ipython is not None and hasattr(ipython.get_ipython(), "kernel")


class Exploration:
    """The picture that `explore` shows, together with its controls."""

    def __init__(self, function, controls, alt):
        self.function, self.controls = function, controls
        self.name = getattr(function, "__name__", "the function")
        self.alt = alt or (inspect.getdoc(function) or self.name).partition("\n")[0].rstrip(".")
        self.widgets: dict = {}
        self.handle: Any = None
        self.message: Any = None
        try:
            inspect.signature(function).bind(**controls)
        except TypeError as error:
            raise TypeError(f"{self.name} does not fit its controls {', '.join(self.controls) or '(none)'}: {error}. "
                            f"Give explore one control for each argument of the function.") from None

    def values(self):
        """The values of all controls, by name: the current ones, or the defaults before the controls are shown."""
        source = self.widgets or self.controls
        return {name: source[name].value for name in self.controls}

    def draw(self):
        """The figure for the current values."""
        return figure_of(self.function(**self.values()), self.name)

    def picture(self):
        """The picture for the current values."""
        settings = [f"{spoken(control.label or name)} = {said(self.values()[name])} {control.unit}".rstrip()
                    for name, control in self.controls.items()]
        return picture(self.draw(), f"{self.alt}; {', '.join(settings)}")

    def said(self):
        """The sentence that stands in for the controls where no kernel is running."""
        ranges = [f"{spoken(control.caption(name))}"
                  + (f" from {said(control.limits[0])} to {said(control.limits[1])}" if control.limits
                     else f": {' or '.join(map(str, control.options))}") for name, control in self.controls.items()]
        return f"[controls, live when this cell is run: {'; '.join(ranges)}]"

    def show(self):
        """Display the controls and below them the picture, which changes in place from then on."""
        from IPython.display import display

        picture = self.picture()
        display(self._control_panel(), raw=True)
        self.handle = display(picture, display_id=True)

    def _control_panel(self):
        """The controls as a bundle of MIME types; where no kernel is running, a sentence stands in for them.

        Without ipywidgets, or with RBDLIB_STATIC set, there is only the sentence.
        """
        data = {"text/plain": self.said()}
        try:
            import ipywidgets
        except ImportError:
            return data
        if os.environ.get("RBDLIB_STATIC"):
            return data
        indent = max((len(spoken(control.caption(name))) for name, control in self.controls.items()), default=0)
        self.widgets = {name: control.widget(name, indent) for name, control in self.controls.items()}
        self.message = ipywidgets.HTML()
        for widget in self.widgets.values():
            widget.observe(self.redraw, names="value")
        panel = ipywidgets.VBox([*self.widgets.values(), self.message])
        return {**panel._repr_mimebundle_(), **data}

    def redraw(self, change=None):
        """Draw again for the current values and replace the picture; an error is reported under the controls."""
        try:
            self.handle.update(self.picture())
            self.message.value = ""
        except Exception as error:
            plt.close("all")  # what was drawn so far would otherwise appear under the next cell
            self.message.value = f"<b>{type(error).__name__}</b>: {html.escape(str(error))}"


def said(value):
    """A value of a control as pictures and controls write it."""
    return f"{value:g}" if isinstance(value, float) else str(value)


def explore(function, /, *, alt="", **controls):
    """Show function's picture with controls above it that redraw it in place. Returns nothing.

    function: takes the controls' values as keyword arguments and returns a figure or axes; it is called once with the
    defaults and again whenever a control is moved. alt: what the picture shows, for those who cannot see it; without
    it, the first line of the function's docstring. controls, one for each argument: (min, max, step, value) for a
    slider, `slider` to add a label and a unit, a list for a choice (the first is the default), True or False to tick.

    Outside a notebook it just draws; without ipywidgets, or with RBDLIB_STATIC=1 in the environment (for saving
    notebooks), the controls are left out. Raises TypeError for a control that is none of these, and for controls that
    do not fit the function's arguments.
    """
    exploration = Exploration(function, {name: _control(name, given) for name, given in controls.items()}, alt)
    (exploration.show if in_notebook() else exploration.draw)()
