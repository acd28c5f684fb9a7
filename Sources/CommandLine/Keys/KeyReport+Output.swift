internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import JSONRPC
internal import Localization
internal import MessageFeatures
internal import TerminalApp
internal import UserProfile
internal import XMPPAddress

extension KeyReport {
    /// `device 31415 · Dino · Verified · last used: 2026-11-20`, and the fingerprint in groups below it.
    var lines: String {
        let known = encryptionDevice
        var parts = [localized("device %@", String(device))]
        if let label = known.label, !label.isEmpty { parts.append(TerminalText.harmless(label)) }
        parts += Wording.facts(known, now: .now)
        let groups = known.fingerprintGroups
        return parts.joined(separator: " · ") + (groups.isEmpty ? "" : "\n    " + groups.joined(separator: " "))
    }

    /// The members in JSON.
    var members: [(String, JSONValue)] {
        [
            ("account", .text(account)), ("device", .integer(Int(device))), ("label", .text(label)),
            ("fingerprint", .text(fingerprint)),
            ("trust", isThisDevice || fingerprint == nil ? .null : .string(trust.rawValue)),
            ("thisDevice", isThisDevice ? true : .null), ("announced", isAnnounced.map { .bool($0) } ?? .null),
            ("unused", isUnused ? true : .null), ("generations", .array(generations.map { .string($0.rawValue) })),
            ("firstSeen", .text(firstSeen.map { MessageTime(millisecondsSince1970: $0).timestamp })),
            ("lastSeen", .text(lastSeen.map { MessageTime(millisecondsSince1970: $0).timestamp })),
        ]
    }
}

extension KeyFinding {
    /// The account, what deserves attention, and the device below it.
    var lines: String {
        let text = account.description + ": " + sentence
        return device.map { text + "\n  " + $0.lines } ?? text
    }

    private var sentence: String {
        switch problem {
        case .notAnnounced:
            localized("This device is not announced, so others cannot encrypt for it; `hongyan keys publish` helps.")
        case .undecided: localized("You have not decided whether you trust this key; nothing is encrypted for it.")
        case .keysMissing: localized("The keys of this device cannot be read; nothing is encrypted for it.")
        case .unused:
            localized(
                "This device was not used for a month; `hongyan keys unused` says whether messages are encrypted for it."
            )
        case .legacyOnly: localized("This device knows only the old kind of encryption, which protects less.")
        case .withdrawn: localized("A device that you verified is not announced any more.")
        case .nodeClosed:
            localized(
                "Not everyone can read the node “%@” (access model %@), so some people cannot encrypt for this device. `hongyan keys publish` opens it; if it stays closed, the server does not support open nodes.",
                TerminalText.harmless(node ?? ""), TerminalText.harmless(accessModel ?? ""))
        case .nodeMissing:
            localized(
                "The node “%@” is missing on the server, so others cannot encrypt for this device; `hongyan keys publish` creates it.",
                TerminalText.harmless(node ?? ""))
        case .notDecrypted:
            localized(
                "%@ message could not be decrypted.", plural: "%@ messages could not be decrypted.", count: count ?? 0)
        }
    }
}

/// The link of this device as a QR code in characters, two rows of modules in each line.
enum QRText {
    /// Dark on light, whatever the colours of the terminal are: scanners cannot read inverted codes.
    private static let colours = "\u{1B}[30;107m"
    private static let plain = "\u{1B}[0m"

    /// - Parameters:
    ///   - size: the number of modules of a side.
    ///   - margin: the light modules around the code.
    ///   - isColoured: whether colours are set; otherwise light modules are drawn, for a dark terminal.
    static func lines(
        size: Int, margin: Int, isColoured: Bool, isDark: (_ x: Int, _ y: Int) -> Bool
    ) -> [String] {
        stride(from: -margin, to: size + margin, by: 2).map { y in
            let line = String(
                (-margin..<size + margin).map { x -> Character in
                    // The row below the last one is light.
                    let (upper, lower) = (isDark(x, y) == isColoured, isDark(x, y + 1) == isColoured)
                    return switch (upper, lower) {
                    case (true, true): "█"
                    case (true, false): "▀"
                    case (false, true): "▄"
                    case (false, false): " "
                    }
                })
            return isColoured ? colours + line + plain : line
        }
    }
}
