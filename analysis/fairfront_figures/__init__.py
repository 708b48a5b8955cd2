"""Figures and tables of fairfront archives. They read nothing but archives and know no option by
name: the roles of axes tell what makes a panel, a curve, an error bar."""
