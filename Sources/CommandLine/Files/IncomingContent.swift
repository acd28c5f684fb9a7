internal import FileSharing
internal import MessageFeatures
internal import TerminalApp
internal import XMPPStanzas

/// What a received message is to a person.
enum IncomingContent: Sendable {
    case text(String)
    case file(FileOffer)
    /// A picture, voice message or file that is damaged or larger than allowed.
    case unusableFile(String)
    /// Nothing to show: a receipt, a typing notice.
    case nothing

    init(_ message: Message) {
        guard !message.isError else {
            self = .nothing
            return
        }
        do {
            if let offer = try FileOffer(in: message) {
                self = .file(offer)
            } else if let body = message.body, !body.isEmpty {
                self = .text(body)
            } else {
                self = .nothing
            }
        } catch {
            self = .unusableFile("\(error)")
        }
    }
}

extension Message {
    /// When it was sent: the stamp of a delayed one (XEP-0203), else now.
    var moment: Timestamp {
        let delay = try? payload(DelayedDelivery.self)
        return delay?.stamp ?? .now
    }
}
