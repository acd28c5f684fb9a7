/// What a line typed in a conversation means: a message, or a command behind a slash.
enum ChatCommand: Equatable {
    case message(String)
    case picture(String)
    /// A file, or the microphone.
    case voice(String?)
    case play(String?)
    case get
    case status(show: String, text: String?)
    case add(String, name: String?)
    case accept(String?)
    case reject(String?)
    case remove(String?)
    case open(String?)
    case help
    case quit
    case unknown(String)
    /// A command without what it needs.
    case incomplete(String)

    /// The commands with what follows them and what they do.
    static let all: [(name: String, argument: String, help: String)] = [
        ("/picture", "FILE", "send a picture"),
        ("/voice", "[FILE]", "send a voice message: a sound file, or record one"),
        ("/play", "[FILE]", "play the last voice message, or this one"),
        ("/get", "", "fetch the last file that was not fetched by itself"),
        ("/status", "[online|chat|away|xa|dnd] [TEXT]", "how you appear to friends"),
        ("/friends", "", "the list of friends"),
        ("/chat", "[NAME]", "open the conversation with somebody else"),
        ("/add", "ADDRESS [NAME]", "ask somebody to become a friend"),
        ("/accept", "[ADDRESS]", "agree to a friend request"),
        ("/reject", "[ADDRESS]", "refuse a friend request"),
        ("/remove", "[ADDRESS]", "end a friendship"),
        ("/help", "", "this list"),
        ("/quit", "", "sign off and leave"),
    ]

    /// A line that begins with two slashes is a message that begins with one.
    init(_ line: String) {
        guard line.hasPrefix("/"), !line.hasPrefix("//") else {
            self = .message(line.hasPrefix("//") ? String(line.dropFirst()) : line)
            return
        }
        let name = line.prefix { !$0.isWhitespace }
        let rest = line.dropFirst(name.count).trimmed
        let argument = rest.isEmpty ? nil : rest
        switch name {
        case "/picture": self = argument.map(Self.picture) ?? .incomplete("/picture FILE")
        case "/voice": self = .voice(argument)
        case "/play": self = .play(argument)
        case "/get": self = .get
        case "/status": self = Self.status(rest)
        case "/add":
            let address = rest.prefix { !$0.isWhitespace }
            let remark = rest.dropFirst(address.count).trimmed
            self =
                address.isEmpty
                ? .incomplete("/add ADDRESS") : .add(String(address), name: remark.isEmpty ? nil : remark)
        case "/accept": self = .accept(argument)
        case "/reject": self = .reject(argument)
        case "/remove": self = .remove(argument)
        case "/friends": self = .open(nil)
        case "/chat": self = .open(argument)
        case "/help": self = .help
        case "/quit", "/exit": self = .quit
        default: self = .unknown(String(name))
        }
    }

    private static func status(_ rest: String) -> ChatCommand {
        let word = String(rest.prefix { !$0.isWhitespace })
        let isShow = AvailabilityOptions.shows[word] != nil
        let text = isShow ? rest.dropFirst(word.count).trimmed : rest
        return .status(show: isShow ? word : "online", text: text.isEmpty ? nil : text)
    }

    /// Those that a beginning can be completed to.
    static func completions(of beginning: String) -> [String] {
        all.map(\.name).filter { $0.hasPrefix(beginning) }
    }
}
