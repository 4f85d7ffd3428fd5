// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>

#include "base/error.h"
#include "base/term.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/session.h"
#include "json/json.h"
#include "pack/pack.h"

namespace sndr::cli {
namespace {

json::Object to_json(const pack::Pin& pin) {
  json::Object out;
  out["slot"] = pin.slot;
  out["version"] = pin.version;
  out["verified"] = pin.verified;
  out["platform"] = pin.platform;
  out["date"] = pin.date;
  out["result"] = pin.result;
  return out;
}

Result<int> pins_list(const Call& call) {
  SNDR_TRY(const auto pack, load_pack(call));
  if (call.has(kJson.name)) {
    json::Array pins;
    for (const auto& pin : pack.pins) pins.push_back(to_json(pin));
    json::Object out;
    out["pins"] = std::move(pins);
    put_json(out);
    return 0;
  }
  term::Table table({"SLOT", "VERSION", "VERIFIED", "DATE", "RESULT"}, 4);
  for (const auto& pin : pack.pins) {
    table.add({pin.slot, pin.version,
               pin.platform.empty() ? pin.verified : pin.verified + " (" + pin.platform + ")",
               pin.date, pin.result});
    table.style(1, term::Style::bold);
  }
  put(table.render(call.out));
  return 0;
}

}  // namespace

extern const Command kPinsList{
    .name = "pins list",
    .summary = "List the vLLM versions that this pack was checked against",
    .details =
        "`engine` means that a real engine ran with the patches, on the platform named; `trees` "
        "that "
        "every patch was judged against that version's files; `no` that it is kept for reference.",
    .options = {kPack, kJson},
    .example = "sndr pins list\nsndr pins list --json",
    .run = pins_list};

}  // namespace sndr::cli
