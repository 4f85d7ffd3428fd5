// SPDX-License-Identifier: Apache-2.0
#include "cli/facts_json.h"

#include <string>
#include <utility>
#include <vector>

#include "cli/words.h"
#include "json/json.h"
#include "pack/pack.h"
#include "pack/patch.h"
#include "plan/flags.h"
#include "plan/plan.h"
#include "probe/facts.h"
#include "probe/tree.h"

namespace sndr::cli {

json::Array to_json(const std::vector<std::string>& words) {
  json::Array out;
  for (const auto& word : words) out.emplace_back(word);
  return out;
}

json::Object to_json(const pack::Patch& patch) {
  json::Object out;
  out["id"] = patch.id;
  out["flag"] = patch.flag;
  out["aliases"] = to_json(patch.aliases);
  out["title"] = patch.title;
  out["why"] = patch.why;
  out["mechanism"] = to_text(patch.mechanism);
  out["lifecycle"] = to_text(patch.lifecycle);
  out["implementation"] = to_text(patch.implementation);
  out["default_on"] = patch.default_on;
  out["lossy"] = patch.lossy;
  out["vllm"] = patch.vllm.text();
  json::Object gates;
  for (const auto& gate : patch.gates) gates[gate.key] = gate.text;
  out["applies_to"] = std::move(gates);
  out["requires"] = to_json(patch.requires_ids);
  out["conflicts"] = to_json(patch.conflicts);
  out["covers"] = to_json(patch.also_covers);
  out["knobs"] = to_json(patch.knobs);
  out["files"] = to_json(files_of(patch));
  json::Array upstream;
  for (const auto& entry : patch.upstream) {
    json::Object one;
    one["number"] = entry.number;
    one["kind"] = entry.kind;
    one["author"] = entry.author;
    one["state"] = entry.state;
    upstream.push_back(std::move(one));
  }
  out["upstream"] = std::move(upstream);
  json::Array retires;
  for (const auto& entry : patch.retires_when) {
    json::Object one;
    one["fix"] = entry.fix;
    one["release"] = entry.release;
    retires.push_back(std::move(one));
  }
  out["retires_when"] = std::move(retires);
  out["proof"] = patch.proof.empty() ? "" : patch.proof_level;
  return out;
}

json::Object to_json(const pack::Pack& pack, const pack::Legacy& entry) {
  json::Object out;
  out["id"] = entry.id;
  out["flag"] = entry.flag;
  out["aliases"] = to_json(entry.aliases);
  out["title"] = entry.title;
  out["disposition"] = to_text(entry.disposition);
  out["by"] = entry.by;
  out["answer"] = pack.answer(entry);
  out["note"] = entry.note;
  out["native_absent"] = entry.native_absent;
  out["native_present"] = entry.native_present;
  out["upstream"] = to_json(entry.upstream);
  json::Object was;
  was["family"] = entry.family;
  was["lifecycle"] = entry.lifecycle;
  was["implementation"] = entry.implementation;
  was["default_on"] = entry.default_on;
  was["replaced_by"] = entry.replaced_by;
  out["v12"] = std::move(was);
  return out;
}

json::Object to_json(const plan::Decision& decision) {
  json::Object out;
  out["id"] = decision.id;
  out["title"] = decision.title;
  out["verdict"] = to_text(decision.verdict);
  out["cause"] = to_text(decision.cause);
  out["reason"] = decision.reason;
  out["flag"] = decision.patch != nullptr    ? decision.patch->flag
                : decision.legacy != nullptr ? decision.legacy->flag
                                             : std::string();
  return out;
}

json::Object to_json(const plan::Notice& notice) {
  json::Object out;
  out["level"] = to_text(notice.level);
  out["name"] = notice.name;
  out["text"] = notice.text;
  out["hint"] = notice.hint;
  return out;
}

json::Object to_json(const plan::Plan& plan) {
  json::Object out;
  out["vllm"] = plan.vllm;
  out["mode"] = plan.mode == plan::Mode::pinned ? "pinned" : "verified_anchors";
  out["mode_line"] = plan.mode_line;
  out["applied"] = plan.applied;
  out["skipped"] = plan.skipped;
  out["failed"] = plan.failed;
  json::Array decisions;
  for (const auto& decision : plan.decisions) decisions.push_back(to_json(decision));
  out["decisions"] = std::move(decisions);
  json::Array notices;
  for (const auto& notice : plan.notices) notices.push_back(to_json(notice));
  out["notices"] = std::move(notices);
  return out;
}

json::Object to_json(const probe::Facts& facts) {
  json::Object out;
  for (const auto& [key, fact] : facts.known) {
    json::Object one;
    one["value"] = fact.value;
    one["source"] = fact.source;
    out[key] = std::move(one);
  }
  return out;
}

json::Object to_json(const probe::Tree& tree) {
  json::Object out;
  out["package"] = tree.package.string();
  out["site"] = tree.site.string();
  out["distribution"] = tree.distribution;
  out["version"] = tree.version_text;
  out["found_by"] = tree.found_by;
  out["python"] = tree.python;
  out["editable"] = tree.editable;
  return out;
}

}  // namespace sndr::cli
