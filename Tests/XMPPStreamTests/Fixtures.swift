import SASLMechanisms
import ServerSide
import Waiting
import XMLStreaming
import XMPPAddress
import XMPPStanzas
import XMPPStream

/// An arbitrary time: only differences matter.
let start = ContinuousInstant(sinceStart: .zero)

extension JID {
    static let juliet = fixture("juliet@example.com/balcony")

    static func fixture(_ address: String) -> JID {
        guard let jid = try? JID(address) else { preconditionFailure("\(address) is no address") }
        return jid
    }
}

extension TLSInformation {
    // Computed, because the leak detector does not follow the tagged pointers of a static enum.
    static var tls13: TLSInformation {
        TLSInformation(
            version: .tls13,
            channelBindings: [.tlsExporter(Array(repeating: 7, count: 32)), .tlsServerEndPoint([1, 2, 3])],
            cipherSuite: "TLS_AES_128_GCM_SHA256")
    }
}

extension SASLCredentials {
    static let juliet = SASLCredentials(username: "juliet", password: "r0m30myr0m30")
}

extension ClientStreamConfiguration {
    static func juliet(
        purpose: Purpose = .authenticate(.juliet), _ change: (inout ClientStreamConfiguration) -> Void = { _ in }
    ) -> ClientStreamConfiguration {
        var configuration = ClientStreamConfiguration(
            address: .juliet, purpose: purpose, digests: .library, nonce: "fyko+d2lbbFgONRv9qkxdawL")
        change(&configuration)
        return configuration
    }
}

extension ServerStreamConfiguration {
    static func example(_ change: (inout ServerStreamConfiguration) -> Void = { _ in }) -> ServerStreamConfiguration {
        var configuration = ServerStreamConfiguration(
            domain: "example.com", digests: .library, nonce: "3rfcNHYJY1ZVvWVs7j")
        change(&configuration)
        return configuration
    }
}

extension ServerDirectory {
    static let verona = ServerDirectory(passwords: ["juliet": "r0m30myr0m30", "romeo": "ph0enix"])
}

extension Message {
    static func to(_ address: String, _ body: String, id: String? = nil) -> Message {
        var message = Message(to: try? JID(address), id: id)
        message.body = body
        return message
    }
}

extension [StreamAction] {
    var text: String {
        map { action -> String in
            if case .write(let bytes) = action { String(decoding: bytes, as: UTF8.self) } else { "" }
        }.joined()
    }

    var progress: [StreamProgress] {
        compactMap { if case .progress(let progress) = $0 { progress } else { nil } }
    }

    var session: StreamSession? {
        compactMap { if case .established(let session) = $0 { session } else { nil } }.last
    }

    var ends: [StreamEnd] {
        compactMap { if case .ended(let end) = $0 { end } else { nil } }
    }

    var stanzas: [XMLElement] {
        flatMap { action -> [XMLElement] in if case .stanzas(let stanzas) = action { stanzas } else { [] } }
    }

    var elements: [XMLElement] {
        compactMap { if case .element(let element) = $0 { element } else { nil } }
    }

    var acknowledged: [StanzaToken] {
        flatMap { action -> [StanzaToken] in if case .acknowledged(let tokens) = action { tokens } else { [] } }
    }
}

extension [ServerStreamAction] {
    var stanzas: [XMLElement] {
        flatMap { action -> [XMLElement] in if case .stanzas(let stanzas) = action { stanzas } else { [] } }
    }

    var acknowledged: [StanzaToken] {
        flatMap { action -> [StanzaToken] in if case .acknowledged(let tokens) = action { tokens } else { [] } }
    }

    var ends: [ServerStreamAction.End] {
        compactMap { if case .ended(let end) = $0 { end } else { nil } }
    }
}
