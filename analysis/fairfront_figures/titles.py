"""What methods are called where people read: in legends, tables and on the page. Archives and CSV files have the names of
their sections, by which commands take them."""

from __future__ import annotations

# Those whose words are not the section's name with spaces.
TITLES = {
    "safairkm_front": "Pareto-front SAfairKM", "safairkm": "SAfairKM", "vfairkm": "VfairKM", "lloyd": "Lloyd",
    "minibatch_kmeans": "mini-batch k-means",
    "sa2gd": "SA2GD", "pf_smg": "PF-SMG",
    "thresholds": "group thresholds",
    "dp_postprocessing": "DP post-processing", "dp_exact": "DP exact", "dp_lp": "DP linear program",
    "dp_streaming": "DP streaming", "adw": "ADW", "barycenter": "Wasserstein barycentre",
    "unconstrained_auc": "unconstrained AUC", "exact_auc": "exact AUC", "sfls": "SFLS", "iqrc": "IQRC",
    "proxy_lagrangian": "proxy Lagrangian", "score_postprocessing": "score post-processing", "auc_front": "AUC front",
    "sgd": "SGD", "alm": "ALM", "ssl_alm": "SSL-ALM", "clamped_alm": "clamped ALM", "pi_duals": "PI duals",
    "postprocessing": "post-processing",
}


def method_title(method: str) -> str:
    """@param method  the name of its section."""
    return TITLES.get(method, method.replace("_", " "))


AUDITED = "measures, score = "  # of an audit of several models: what follows is the column of one


def titled(text: str) -> str:
    """A method with its settings, such as "sa2gd, step = 5", by the method's title; a model that is audited
    beside others by its column."""
    if text.startswith(AUDITED):
        return text.removeprefix(AUDITED)
    method, comma, settings = text.partition(", ")
    return method_title(method) + comma + settings
