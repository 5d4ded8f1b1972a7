// Draws the time lines again for the stretch of time that is looked at, and answers questions about it. CMake joins the
// files of this folder into one script.
const data = JSON.parse(document.getElementById("data").textContent);
const box = document.getElementById("timelines");
const status = document.getElementById("status");
const command = document.getElementById("command");
if (!box || !data.rows) return;
const sides = data.sides.length;
