#include "traces/sketch/lexer.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <charconv>
#include <map>

namespace heddle::isa::sketch {

SketchError::SketchError(std::string_view file, Position at, std::string_view message)
    : std::runtime_error(fmt::format("{}:{}:{}: {}", file, at.line, at.column, message)), at_(at) {}

std::string Token::described() const {
  if (kind == Kind::end) return "the end of the file";
  if (kind == Kind::string) return fmt::format("\"{}\"", text);
  return fmt::format("'{}'", text);
}

namespace {

constexpr std::size_t kMostTokens = std::size_t{1} << 20;  // with what names are replaced by

// Longest first.
constexpr std::array<std::string_view, 46> kMarks{
    "<<<", ">>>", "<<=", ">>=", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||",
    "++",  "--",  "+=",  "-=",  "*=", "/=", "%=", "&=", "|=", "^=", "->", "::",
    "+",   "-",   "*",   "/",   "%",  "<",  ">",  "=",  "!",  "&",  "|",  "^",
    "~",   "?",   ":",   ";",   ",",  ".",  "(",  ")",  "[",  "]"};
constexpr std::string_view kBraces = "{}";

// Not of the C library: those mind the locale.
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

class Lexer {
 public:
  Lexer(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  std::vector<Token> run() {
    while (skip_blanks()) {
      if (peek() == '#' && starts_line_) {
        directive();
      } else {
        starts_line_ = false;
        add(next());
      }
    }
    tokens_.push_back({.kind = Token::Kind::end, .text = {}, .at = at()});
    return std::move(tokens_);
  }

 private:
  char peek(std::size_t ahead = 0) const {
    return offset_ + ahead < text_.size() ? text_[offset_ + ahead] : '\0';
  }
  bool done() const { return offset_ >= text_.size(); }
  Position at() const { return {line_, static_cast<std::uint32_t>(offset_ - line_start_ + 1)}; }
  [[noreturn]] void fail(Position where, std::string_view message) const {
    throw SketchError(file_, where, message);
  }

  void advance() {
    if (text_[offset_++] == '\n') {
      ++line_;
      line_start_ = offset_;
      starts_line_ = true;
    }
  }

  // To the next token; false at the end of the text.
  bool skip_blanks() {
    while (!done()) {
      if (is_blank(peek()) || peek() == '\n') {
        advance();
      } else if (peek() == '/' && peek(1) == '/') {
        while (!done() && peek() != '\n') advance();
      } else if (peek() == '/' && peek(1) == '*') {
        block_comment();
      } else {
        return true;
      }
    }
    return false;
  }

  void block_comment() {
    const Position start = at();
    advance();
    advance();
    while (!(peek() == '*' && peek(1) == '/')) {
      if (done()) fail(start, "a comment that does not end; expected '*/'");
      advance();
    }
    advance();
    advance();
  }

  // #pragma is dropped, #define keeps the tokens up to the end of the line.
  void directive() {
    const Position start = at();
    const std::uint32_t line = line_;
    advance();
    while (is_blank(peek())) advance();
    const Token word = is_letter(peek()) ? name() : Token{};
    if (word.text == "pragma") {
      while (!done() && peek() != '\n') advance();
      return;
    }
    if (word.text == "include")
      fail(start, "#include is not part of the language, and a sketch needs none");
    if (word.text != "define")
      fail(start,
           fmt::format("#{} is not part of the language; expected #define or #pragma", word.text));
    while (is_blank(peek())) advance();
    if (!is_letter(peek()) || line_ != line) fail(at(), "expected a name after #define");
    const Token defined = name();
    if (peek() == '(')
      fail(at(), "#define with parameters is not part of the language; expected a value");
    std::vector<Token> value;
    std::vector<Token> outside;
    std::swap(outside, tokens_);  // add() replaces names in the value, too
    while (on_line(line)) add(next());
    std::swap(outside, tokens_);
    definitions_[defined.text] = std::move(outside);
    defined_size_ += definitions_[defined.text].size();
    if (defined_size_ > kMostTokens) fail(start, "definitions that are far too long");
  }

  bool on_line(std::uint32_t line) {
    while (is_blank(peek())) advance();
    if (peek() == '/' && peek(1) == '/')
      while (!done() && peek() != '\n') advance();
    if (peek() == '/' && peek(1) == '*') {
      block_comment();
      return on_line(line);
    }
    return !done() && peek() != '\n' && line_ == line;
  }

  void add(const Token& token) {
    const auto defined =
        token.kind == Token::Kind::name ? definitions_.find(token.text) : definitions_.end();
    if (defined == definitions_.end()) {
      tokens_.push_back(token);
    } else {
      for (Token each : defined->second) {
        each.at = token.at;
        tokens_.push_back(each);
      }
    }
    if (tokens_.size() > kMostTokens) fail(token.at, "a sketch of more than a million tokens");
  }

  Token next() {
    if (is_letter(peek())) return name();
    if (is_digit(peek()) || (peek() == '.' && is_digit(peek(1)))) return number();
    if (peek() == '"') return string();
    return mark();
  }

  Token taken(Token::Kind kind, std::size_t first, Position where) const {
    return {.kind = kind, .text = text_.substr(first, offset_ - first), .at = where};
  }

  Token name() {
    const std::size_t first = offset_;
    const Position where = at();
    while (is_letter(peek()) || is_digit(peek())) advance();
    return taken(Token::Kind::name, first, where);
  }

  Token string() {
    const Position where = at();
    advance();
    const std::size_t first = offset_;
    while (peek() != '"') {
      if (done() || peek() == '\n') fail(where, "a string that does not end; expected '\"'");
      advance();
    }
    Token token = taken(Token::Kind::string, first, where);
    advance();
    return token;
  }

  Token mark() {
    const Position where = at();
    const std::size_t first = offset_;
    for (const std::string_view each : kMarks)
      if (text_.substr(offset_).starts_with(each)) {
        offset_ += each.size();
        return taken(Token::Kind::mark, first, where);
      }
    const char c = peek();
    if (c == '\'') fail(where, "characters are not part of the language; expected a number");
    if (kBraces.find(c) == std::string_view::npos)
      fail(where, c >= ' ' && c <= '~'
                      ? fmt::format("'{}' is not part of the language", c)
                      : fmt::format("byte {:#04x} is not part of the language",
                                    static_cast<unsigned>(static_cast<unsigned char>(c))));
    ++offset_;
    return taken(Token::Kind::mark, first, where);
  }

  Token number() {
    const std::size_t first = offset_;
    const Position where = at();
    if (peek() == '0' && (peek(1) == 'x' || peek(1) == 'X')) return hexadecimal();
    bool floating = false;
    while (is_digit(peek())) ++offset_;
    if (peek() == '.') {
      floating = true;
      ++offset_;
      while (is_digit(peek())) ++offset_;
    }
    if (peek() == 'e' || peek() == 'E') {
      const std::size_t sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
      if (!is_digit(peek(1 + sign))) fail(where, "expected digits in the exponent");
      floating = true;
      offset_ += 1 + sign;
      while (is_digit(peek())) ++offset_;
    }
    return floating ? floating_value(first, where) : integer_value(first, offset_, 10, where);
  }

  Token hexadecimal() {
    const Position where = at();
    offset_ += 2;
    const std::size_t first = offset_;
    while (is_digit(peek()) || (peek() >= 'a' && peek() <= 'f') || (peek() >= 'A' && peek() <= 'F'))
      ++offset_;
    if (offset_ == first) fail(where, "expected hexadecimal digits after 0x");
    return integer_value(first, offset_, 16, where);
  }

  Token floating_value(std::size_t first, Position where) {
    double value = 0;
    const auto result = std::from_chars(text_.data() + first, text_.data() + offset_, value);
    if (result.ec != std::errc())
      fail(where,
           fmt::format("{} is outside the range of double", text_.substr(first, offset_ - first)));
    Token token = taken(Token::Kind::floating, first, where);
    token.value = std::bit_cast<std::uint64_t>(value);
    if (peek() == 'f' || peek() == 'F') {
      ++offset_;
      token.suffixed = true;
    }
    end_of_number(where);
    return token;
  }

  Token integer_value(std::size_t first, std::size_t end, int base, Position where) {
    std::uint64_t value = 0;
    const auto result = std::from_chars(text_.data() + first, text_.data() + end, value, base);
    if (result.ec != std::errc() || value > 0xffffffff)
      fail(where, fmt::format("{} does not fit in 32 bits", text_.substr(first, end - first)));
    Token token = taken(Token::Kind::integer, first, where);
    token.value = value;
    while (peek() == 'u' || peek() == 'U' || peek() == 'l' || peek() == 'L') {
      token.suffixed = token.suffixed || peek() == 'u' || peek() == 'U';
      ++offset_;
    }
    token.suffixed = token.suffixed || value > 0x7fffffff;
    end_of_number(where);
    return token;
  }

  void end_of_number(Position where) const {
    if (is_letter(peek()) || is_digit(peek()))
      fail(where, fmt::format("a number that goes on with '{}'", peek()));
  }

  std::string_view text_, file_;
  std::size_t offset_ = 0, line_start_ = 0;
  std::uint32_t line_ = 1;
  bool starts_line_ = true;
  std::vector<Token> tokens_;
  std::map<std::string_view, std::vector<Token>> definitions_;
  std::size_t defined_size_ = 0;
};

}  // namespace

std::vector<Token> tokens(std::string_view text, std::string_view file) {
  return Lexer(text, file).run();
}

}  // namespace heddle::isa::sketch
