"use strict";
// a token behind # is not sent with the address: it goes in by the form, and leaves the address and the history
const given = new URLSearchParams(location.hash.slice(1)).get("token");
if (given) {
  history.replaceState(null, "", "/");
  const field = document.getElementById("token");
  field.value = given;
  field.form.submit();
}
