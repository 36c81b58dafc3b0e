"""A function for a page: which texts below an element have too little contrast with what is behind them.

The colours of code are JupyterLab's own and are left to it.
"""

hard_to_read = """cell => {
    const parts = colour => (colour.match(/[\\d.]+/g) || [0, 0, 0, 0]).map(Number);
    const mixed = (over, under) => { const a = over[3] ?? 1;
        return [0, 1, 2].map(k => a * over[k] + (1 - a) * under[k]); };
    const light = colour => colour.map(x => x / 255).map(x => x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4)
        .reduce((sum, x, k) => sum + x * [0.2126, 0.7152, 0.0722][k], 0);
    const behind = element => { const found = [];
        for (let at = element; at; at = at.parentElement) found.push(parts(getComputedStyle(at).backgroundColor));
        return found.reduceRight((under, over) => mixed(over, under), [255, 255, 255]); };
    const complaints = [], texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
        const element = text.parentElement;
        if (!text.data.trim() || !element.closest(".jp-OutputArea-output, .jp-RenderedMarkdown")
            || element.closest("pre code span")
            || !element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
        const back = behind(element), front = mixed(parts(getComputedStyle(element).color), back);
        const [low, high] = [light(back), light(front)].sort((a, b) => a - b);
        const ratio = (high + 0.05) / (low + 0.05), enough = element.closest("[aria-hidden=true]") ? 3 : 4.5;
        if (ratio < enough) complaints.push(`${text.data.trim().slice(0, 40)}: ${ratio.toFixed(1)}`);
    }
    return complaints;
}"""
