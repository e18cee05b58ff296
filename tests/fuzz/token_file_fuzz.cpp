// The file of the API's tokens, and what a header shows of one.
#include "harness.hpp"
#include "http/tokens.hpp"

namespace ballot::fuzz::token_file_harness {

BALLOT_FUZZ(token_file) {
  const auto tokens = web::Tokens::parse(input);
  if (!tokens) return require(is_harmless(tokens.error().what), "an error can be shown", tokens.error().what);
  require(tokens->size() <= web::most_tokens, "tokens are bounded");
  require(tokens->find("a token of nobody") == nullptr, "nobody has a token of another");
  tokens->find(input);
  // A token with that line is found among them, and they stay what they are.
  const auto more =
      web::Tokens::parse(std::string(input) + "\n" + web::token_line("fuzz.only", io::Role::admin, "shown"));
  if (!more) return;
  const web::Token* const found = more->find("shown");
  require(found != nullptr && found->name == "fuzz.only" && found->role == io::Role::admin, "the line is found again");
  require(more->size() == tokens->size() + 1, "and nothing else is");
}

}  // namespace ballot::fuzz::token_file_harness
