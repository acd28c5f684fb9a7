import MessagePayloads
import XMLStreaming
import XMPPAddress
import XMPPClient
import XMPPStanzas

/// The ways of sending that are measured.
enum SendMode: String, CaseIterable {
    /// One message after the other, from outside of the session.
    case single
    /// A hundred messages with each call.
    case batches
    /// One after the other with stream management: each message is kept until the server has acknowledged it.
    case managed
    /// Only made, not sent.
    case compose
    /// Made and written as XML, not sent.
    case encode
}

private func report(_ mode: SendMode, since start: Double, messages: Int, counted: String) {
    let microseconds = (usedTime() - start) / Double(max(messages, 1)) * 1e6
    print("\(mode.rawValue) \(microseconds) us/stanza stanzas=\(counted)")
}

/// A chat message as programs send it: an identifier, a receipt request, an origin identifier, a chat state, and a text with
/// characters that are escaped, Chinese and an emoji.
private func message(_ number: Int, to receiver: JID) -> Message {
    let id = "8f1c2e3a-0000-4000-8000-\(String(1_000_000_000_000 + number).dropFirst())"
    var message = Message.chat(
        to: receiver, body: "message number \(number): lunch at 12 & code review <later> 你好 🚀", id: id)
    message.append(DeliveryReceiptRequest())
    message.append(OriginIdentifier(id))
    message.payloads.append(ChatState.active)
    return message
}

/// Measures sending `messages` messages to the server of `loopback_server.py` on `port`.
func measureSending(_ mode: SendMode, port: UInt16, messages: Int) async throws {
    let receiver = try JID("romeo@montague.example/orchard")
    switch mode {
    case .compose:
        let start = usedTime()
        var count = 0
        for number in 0..<messages where message(number, to: receiver).id != nil { count += 1 }
        report(mode, since: start, messages: messages, counted: "\(count)")
    case .encode:
        let start = usedTime()
        var count = 0
        var writer = XMLWriter(defaultNamespace: "jabber:client", inStream: true)
        for number in 0..<messages {
            writer.write(message(number, to: receiver))
            if !writer.takeBytes().isEmpty { count += 1 }
        }
        report(mode, since: start, messages: messages, counted: "\(count)")
    case .single, .batches, .managed:
        var configuration = ClientConfiguration(
            address: try JID("juliet@capulet.example/balcony"), password: "secret")
        configuration.host = "127.0.0.1"
        configuration.port = port
        configuration.encryption = .plaintextAllowedForTestsOnly
        configuration.usesStreamManagement = mode == .managed
        try await Client(configuration).run { session in
            let events = session.events(.messages)
            let start = usedTime()
            if mode == .batches {
                for first in stride(from: 0, to: messages, by: 100) {
                    try await session.send(
                        contentsOf: (first..<min(first + 100, messages)).map { message($0, to: receiver) })
                }
            } else {
                for number in 0..<messages { try await session.send(message(number, to: receiver)) }
            }
            try await session.send(.chat(to: try JID("capulet.example"), body: "count"))
            for await batch in events {
                for case .message(let answer) in batch {
                    report(mode, since: start, messages: messages, counted: answer.body ?? "?")
                    return
                }
            }
        }
    }
}
