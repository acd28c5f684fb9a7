/// The meaning of an input line: a message, or a command after a slash.
enum ChatLine {
    case message(String)
    case command(ChatCommand, TypedCommand)
    /// A command without its arguments, and its usage.
    case incomplete(String)
    /// A name that no command has.
    case unknown(String)

    /// A line that begins with two slashes is a message that begins with one.
    init(_ line: String) {
        guard line.hasPrefix("/"), !line.hasPrefix("//") else {
            self = .message(line.hasPrefix("//") ? String(line.dropFirst()) : line)
            return
        }
        let name = line.prefix { !$0.isWhitespace }
        let typed = TypedCommand(line: line, text: line.dropFirst(name.count).trimmed)
        guard let command = ChatCommand.named(name) else {
            self = .unknown(String(name))
            return
        }
        self = typed.text.isEmpty && command.needsArgument ? .incomplete(command.usage) : .command(command, typed)
    }
}

/// A command as it was typed.
struct TypedCommand: Equatable {
    /// The whole line.
    let line: String
    /// The text after the name, without the whitespace around it.
    let text: String

    var argument: String? { text.isEmpty ? nil : text }

    /// `romeo@example.org Romeo`: the first word, and the text after it.
    var words: (first: String, rest: String?) {
        let first = text.prefix { !$0.isWhitespace }
        let rest = text.dropFirst(first.count).trimmed
        return (String(first), rest.isEmpty ? nil : rest)
    }

    /// `2 spam`: a number from 1 to 99, and the text after it; without a number the whole text.
    var numbered: (number: Int?, rest: String?) {
        let (first, rest) = words
        guard first.allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int(first), (1...99).contains(number) else {
            return (nil, argument)
        }
        return (number, rest)
    }

    /// `2 yes` replies to the second to last message; `2` alone is a text.
    var reply: (number: Int, text: String) {
        guard case (let number?, let rest?) = numbered else { return (1, text) }
        return (number, rest)
    }

    /// `away back at six`: a state that contacts see, and a text.
    var status: (show: String, text: String?) {
        let (first, rest) = words
        return PresenceText.shows[first] != nil ? (first, rest) : ("online", argument)
    }
}
