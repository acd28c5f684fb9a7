import Foundation
import XMLStreaming
import XMPPClient
import XMPPStanzas

/// Records the stanzas and events of a device. Lines that do not fit on a full disk are left out.
struct DeviceLog: StanzaInterceptor, SessionExtension {
    private let file: LineFile

    init(folder: String) throws {
        file = try LineFile(path: "\(folder)/\(ChaosFiles.log)", isDurable: false)
    }

    func say(_ text: String) {
        try? file.append(String(format: "%.3f ", Date.now.timeIntervalSince1970) + text)
    }

    func willReceive(_ stanza: AnyStanza, in session: Session) async -> Interception {
        note(stanza, "in")
        return .pass(stanza)
    }

    func willSend(_ stanza: AnyStanza, in session: Session) async -> Interception {
        note(stanza, "out")
        return .pass(stanza)
    }

    /// What the server has confirmed, and what was lost with a session.
    func run(in session: Session) async {
        for await batch in session.events([.sending, .connection]) {
            for event in batch {
                switch event {
                case .acknowledged(let token):
                    if case .message(let message) = token.stanza { say("acknowledged \(message.id ?? "-")") }
                case .sendingFailed(let token, let error):
                    if case .message(let message) = token.stanza { say("failed \(message.id ?? "-"): \(error)") }
                case .connection(.disconnected(let error, _)): say("disconnected: \(error?.message ?? "-")")
                default: break
                }
            }
        }
    }

    private func note(_ stanza: AnyStanza, _ direction: String) {
        guard case .message(let message) = stanza else { return }
        var words = [direction]
        if let from = message.from { words.append("from \(from)") }
        if let to = message.to, direction == "out" { words.append("to \(to)") }
        if message.isError { words.append("error \(message.error?.condition.rawValue ?? "")") }
        let element = message.payloads.first { payload in
            payload.localName == "encrypted" && payload.children.contains { $0.localName == "payload" }
        }
        // A copy that another device has requested is stored nowhere.
        if let element, !message.payloads.contains(where: { $0.localName == "no-store" }) {
            words.append(message.id ?? "-")
            // For programs that cannot decrypt it; where all devices have the current generation there is none.
            if let body = message.body { words.append("“\(body)”") }
            let keys = Self.receivers(of: element).joined(separator: ",")
            return say((words + [Self.sealed, keys]).joined(separator: " "))
        }
        if element != nil { words += [Self.copy, message.id ?? "-"] }
        if let body = message.body {
            return say((words + ["\(message.id ?? "-")", "“\(body)”"]).joined(separator: " "))
        }
        for payload in message.payloads {
            Self.describe(payload, route: payload.localName, into: &words)
        }
        if words.count > 2 { say(words.joined(separator: " ")) }
    }

    /// The word before the id of a message that is sent again for one device.
    static let copy = "copy"

    /// The word before the numbers of the devices that can decrypt a message.
    static let sealed = "sealed"

    private static func receivers(of element: XMLElement) -> [String] {
        element.children.flatMap { child in
            (child.localName == "key" ? [child["rid"]].compactMap(\.self) : []) + receivers(of: child)
        }
    }

    /// Finds wrapped messages, and stanzas about messages.
    private static func describe(_ element: XMLElement, route: String, into words: inout [String]) {
        switch element.localName {
        case "result": words.append("archive \(element["id"] ?? "-")")
        case "sent", "received", "displayed":
            words.append(element["id"].map { "\(element.localName) \($0)" } ?? "carbon-\(element.localName)")
        case "message": words.append("from \(element["from"] ?? "-") \(element["id"] ?? "-")")
        case "body": return words.append("“\(element.text)”")
        case "stanza-id": return words.append("stanza-id \(element["id"] ?? "-")")
        case "forwarded": break
        default: return
        }
        for child in element.children { describe(child, route: route, into: &words) }
    }
}
