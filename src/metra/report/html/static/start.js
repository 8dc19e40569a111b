// What happens when the report opens.

startComparison();
addEventListener("hashchange", route);
route();
