public import XMLStreaming
public import XMPPAddress
public import XMPPStanzas

/// States the message that this one replies to (XEP-0461 Message Replies §3).
///
/// ```
/// C: <message to='anna@example.com' id='message-id2' type='chat'><body>Great idea!</body>
///      <reply to='anna@example.com/tablet' id='message-id1' xmlns='urn:xmpp:reply:0'/></message>
/// ```
public struct MessageReply: MessagePayload, Hashable {
    public static let name = XMLName("reply", "urn:xmpp:reply:0")

    /// The identifier of the message that is replied to: `MessageIdentity.Purpose.reply` of MessageSemantics.
    public var messageID: String
    /// The author of that message.
    public var author: JID?

    public init(to messageID: String, by author: JID? = nil) {
        self.messageID = messageID
        self.author = author
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        messageID = try element.identifier("id")
        if let text = element["to"] {
            guard let author = try? JID(text) else {
                throw XMLDecodingError(Self.name, .invalidAttribute("to", value: text))
            }
            self.author = author
        }
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("to", author?.description)
        writer.attribute("id", messageID)
        writer.end()
    }
}

extension Message {
    /// The number of lines quoted for programs that do not support replies.
    public static let maximumQuotedLines = 8
    /// The length of the quotation per line and in total, in Unicode scalars: enough to recognise a message, and short
    /// enough that the reply does not exceed the server's limit.
    public static let maximumQuotedLineLength = 200
    public static let maximumQuotedLength = 600

    /// This message as a reply to another one.
    ///
    /// - Parameters:
    ///   - quotation: the text replied to, which is put before the message's own text for programs that do not support
    ///     replies (§3.1), cut after ``maximumQuotedLines`` and ``maximumQuotedLength``; `nil` for none.
    ///   - name: the name above the quotation.
    public func replying(_ reply: MessageReply, quoting quotation: String? = nil, of name: String? = nil) -> Message {
        var message = self
        message.payloads.removeAll(named: MessageReply.name)
        message.append(reply)
        guard let quotation, let body else { return message }
        var quoted = name.map { "> \($0):\n" } ?? ""
        for line in Self.lines(quoting: quotation) { quoted += "> \(line)\n" }
        message.body = quoted + body
        let end = quoted.unicodeScalars.count
        message.append(FallbackIndication(for: MessageReply.name.namespace, bodyRegions: [.init(0..<end)]))
        return message
    }

    /// The beginning of a text within the limits of a quotation; linear in the length of the quotation.
    private static func lines(quoting text: String) -> [String] {
        var lines: [String] = []
        var left = maximumQuotedLength
        var rest = text.unicodeScalars[...]
        while true {
            guard lines.count < maximumQuotedLines, left > 0 else { return lines + ["…"] }
            let start = rest.prefix(min(left, maximumQuotedLineLength))
            guard let end = start.firstIndex(of: "\n") else {
                // The line continues after the quotation, or ends with it.
                let next = rest.dropFirst(start.count)
                guard let following = next.first else { return lines + [String(start)] }
                left -= start.count
                lines.append(following == "\n" ? String(start) : String(start) + "…")
                guard let lineEnd = next.firstIndex(of: "\n") else { return lines }
                rest = next[next.index(after: lineEnd)...]
                continue
            }
            lines.append(String(rest[..<end]))
            left -= start[..<end].count
            rest = rest[rest.index(after: end)...]
        }
    }
}
