internal import Localization

/// The meaning of an input line: a message, or a command after a slash.
enum ChatCommand: Equatable {
    case message(String)
    case picture(String)
    /// A file, or a new recording.
    case voice(String?)
    /// Any file, unchanged.
    case file(String)
    case play(String?)
    case get
    case status(show: String, text: String?)
    case add(String, name: String?)
    case accept(String?)
    case reject(String?)
    case remove(String?)
    case open(String?)
    case edit(String)
    /// To the last received message, or to an earlier one by its number from the end.
    case reply(Int, String)
    /// An emoji, or none to remove the reaction.
    case react(String?)
    case delete
    case retry
    case search(String)
    case join(String, nickname: String?)
    case who
    case leave
    /// Another nickname in the room.
    case nickname(String)
    /// Shows the topic of the room, or changes it.
    case topic(String?)
    /// An address or the name of a contact, and after it a text for that person.
    case invite(String)
    /// A nickname, and after it a reason.
    case kick(String)
    case ban(String)
    /// Deletes the last received message of the room, or an earlier one by its number from the end.
    case moderate(Int, reason: String?)
    case block(String?)
    case unblock(String)
    /// The conversations with unread messages.
    case unread
    /// The devices of an account; of the open conversation without an address.
    case keys(String?)
    /// A key by its number in the last list, by its fingerprint, or a link with fingerprints.
    case trust(String, isVerified: Bool)
    case distrust(String)
    /// Shows whether the conversation is encrypted, or decides.
    case encryption(String?)
    /// Lists the commands of an address; of the contact of the open conversation without one.
    case commands(String?)
    /// Executes a listed command by its number, node or name.
    case run(String)
    case help
    case quit
    case unknown(String)
    /// A command without its arguments.
    case incomplete(String)

    /// The commands with their arguments and descriptions.
    static let all: [(name: String, argument: String, help: String)] = [
        ("/me", "TEXT", "say what you do: “/me waves” is shown with your name"),
        ("/picture", "FILE", "send a picture"),
        ("/voice", "[FILE]", "send a voice message: a sound file, or record one"),
        ("/file", "FILE", "send a file as it is"),
        ("/play", "[FILE]", "play the last voice message, or this one"),
        ("/get", "", "download the last file that was not downloaded automatically"),
        ("/reply", "[NUMBER] TEXT", "reply to the last received message, or with a number to an earlier one"),
        ("/edit", "TEXT", "edit your last message"),
        ("/delete", "", "retract your last message"),
        ("/react", "[EMOJI]", "react to the last received message, or remove the reaction"),
        ("/retry", "", "send failed messages of this conversation again"),
        ("/search", "WORDS", "search in this conversation"),
        ("/join", "ROOM [NICK]", "join a room"),
        ("/who", "", "who is in the room"),
        ("/leave", "", "leave the room permanently"),
        ("/nick", "NICK", "change your nickname in the room"),
        ("/topic", "[TEXT]", "show the topic of the room, or change it"),
        ("/invite", "NAME [TEXT]", "invite someone to the room"),
        ("/kick", "NICK [TEXT]", "remove someone from the room"),
        ("/ban", "NICK [TEXT]", "ban someone from the room permanently"),
        (
            "/moderate", "[NUMBER] [TEXT]",
            "as a moderator, delete the last received message for everyone, or an earlier one"
        ),
        ("/keys", "[ADDRESS]", "the devices of this conversation, with the fingerprints of their keys"),
        ("/verify", "NUMBER|FINGERPRINT|LINK", "mark a key as compared with the one on the other device"),
        ("/trust", "NUMBER|FINGERPRINT", "encrypt for a device without comparing its key"),
        ("/distrust", "NUMBER|FINGERPRINT", "encrypt nothing for a device"),
        (
            "/encryption", "[always|when-possible|never|default]",
            "whether this conversation is encrypted, and who cannot read it; or decide"
        ),
        ("/status", "[online|chat|away|xa|dnd] [TEXT]", "how your contacts see you"),
        ("/contacts", "", "the list of contacts"),
        ("/chat", "[NAME]", "open another conversation"),
        ("/unread", "", "the conversations with unread messages"),
        ("/add", "ADDRESS [NAME]", "send a contact request"),
        ("/accept", "[ADDRESS]", "accept a contact request"),
        ("/reject", "[ADDRESS]", "decline a contact request"),
        ("/remove", "[ADDRESS]", "remove a contact"),
        ("/block", "[ADDRESS]", "block someone, or the contact of this conversation"),
        ("/unblock", "ADDRESS", "unblock someone"),
        ("/commands", "[ADDRESS]", "the commands of a bot or server, or of the contact of this conversation"),
        ("/run", "NUMBER|NAME", "execute one of the listed commands"),
        ("/help", "", "this list"),
        ("/quit", "", "sign off and quit"),
    ]

    /// The arguments of a command in the user's language.
    static func shown(_ argument: String) -> String {
        let words = [
            "TEXT": localized("TEXT"), "FILE": localized("FILE"), "NUMBER": localized("NUMBER"),
            "EMOJI": localized("EMOJI"), "WORDS": localized("WORDS"), "ROOM": localized("ROOM"),
            "NICK": localized("NICK"), "NAME": localized("NAME"), "FINGERPRINT": localized("FINGERPRINT"),
            "LINK": localized("LINK"), "ADDRESS": localized("ADDRESS"),
        ]
        return argument.replacing(/[A-Z]+/) { words[String($0.output)] ?? String($0.output) }
    }

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
        case "/file": self = argument.map(Self.file) ?? .incomplete("/file FILE")
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
        case "/reply": self = Self.reply(rest)
        case "/edit": self = argument.map(Self.edit) ?? .incomplete("/edit TEXT")
        case "/delete": self = .delete
        case "/react": self = .react(argument)
        case "/retry": self = .retry
        case "/search": self = argument.map(Self.search) ?? .incomplete("/search WORDS")
        case "/join":
            let room = rest.prefix { !$0.isWhitespace }
            let nickname = rest.dropFirst(room.count).trimmed
            self =
                room.isEmpty
                ? .incomplete("/join ROOM [NICK]") : .join(String(room), nickname: nickname.isEmpty ? nil : nickname)
        // An action is a message that begins with these letters (XEP-0245).
        case "/me": self = argument == nil ? .incomplete("/me TEXT") : .message(line)
        case "/who": self = .who
        case "/leave": self = .leave
        case "/nick": self = argument.map(Self.nickname) ?? .incomplete("/nick NICK")
        case "/topic": self = .topic(argument)
        case "/invite":
            // A name may have blanks; the chat knows the names.
            self = argument.map(Self.invite) ?? .incomplete("/invite NAME [TEXT]")
        case "/kick": self = argument.map(Self.kick) ?? .incomplete("/kick NICK [TEXT]")
        case "/ban": self = argument.map(Self.ban) ?? .incomplete("/ban NICK [TEXT]")
        case "/moderate": self = Self.moderate(rest)
        case "/block": self = .block(argument)
        case "/unblock": self = argument.map(Self.unblock) ?? .incomplete("/unblock ADDRESS")
        case "/unread": self = .unread
        case "/keys": self = .keys(argument)
        case "/verify": self = argument.map { .trust($0, isVerified: true) } ?? .incomplete("/verify NUMBER")
        case "/trust": self = argument.map { .trust($0, isVerified: false) } ?? .incomplete("/trust NUMBER")
        case "/distrust": self = argument.map(Self.distrust) ?? .incomplete("/distrust NUMBER")
        case "/encryption": self = .encryption(argument)
        case "/contacts", "/friends": self = .open(nil)
        case "/chat": self = .open(argument)
        case "/commands": self = .commands(argument)
        case "/run": self = argument.map(Self.run) ?? .incomplete("/run NUMBER")
        case "/help": self = .help
        case "/quit", "/exit": self = .quit
        default: self = .unknown(String(name))
        }
    }

    /// `2 yes` replies to the second to last message; `2` alone is a text.
    private static func reply(_ rest: String) -> ChatCommand {
        let number = rest.prefix { $0.isASCII && $0.isNumber }
        let text = rest.dropFirst(number.count)
        if let count = Int(number), (1...99).contains(count), text.first?.isWhitespace == true, !text.trimmed.isEmpty {
            return .reply(count, text.trimmed)
        }
        return rest.isEmpty ? .incomplete("/reply [NUMBER] TEXT") : .reply(1, rest)
    }

    /// `2 spam` deletes the second to last message, with a reason.
    private static func moderate(_ rest: String) -> ChatCommand {
        let word = rest.prefix { !$0.isWhitespace }
        let number =
            word.allSatisfy { $0.isASCII && $0.isNumber } ? Int(word).flatMap { (1...99).contains($0) ? $0 : nil } : nil
        let reason = number == nil ? rest : rest.dropFirst(word.count).trimmed
        return .moderate(number ?? 1, reason: reason.isEmpty ? nil : reason)
    }

    private static func status(_ rest: String) -> ChatCommand {
        let word = String(rest.prefix { !$0.isWhitespace })
        let isShow = PresenceText.shows[word] != nil
        let text = isShow ? rest.dropFirst(word.count).trimmed : rest
        return .status(show: isShow ? word : "online", text: text.isEmpty ? nil : text)
    }

    /// The commands that a prefix can be completed to.
    static func completions(of beginning: String) -> [String] {
        all.map(\.name).filter { $0.hasPrefix(beginning) }
    }
}
