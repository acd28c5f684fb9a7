import SASLMechanisms
import XMLStreaming
import XMPPStanzas

/// The handshake of an external component (XEP-0114 §3): a proof of the shared secret instead of features, SASL and
/// binding.
///
///     S: <stream:stream xmlns='jabber:component:accept' from='plays.shakespeare.lit' id='3BF96D32' …>
///     C: <handshake>aaee83c26aeeafcbabeabfcbcd50df997e0a2a1e</handshake>
///     S: <handshake/>
extension StreamNegotiation.Rules {
    /// What is reported instead of the name of a SASL mechanism.
    private static let mechanism = "handshake"

    func componentHeaderReceived(
        _ root: XMLElement, _ contentNamespace: String, _ channel: ProtectedChannel, _ credentials: SASLCredentials
    ) -> Transition {
        headerReceived(root, contentNamespace, next: .presentingSecret(channel)) { header throws(StreamFailure) in
            // Without an id the same proof would be valid on every connection. An error of the server follows: Prosody
            // does not know the name.
            guard let id = header.id, !id.isEmpty else { return [] }
            guard let sha1 = configuration.digests[.sha1], let secret = credentials.password else {
                throw StreamFailure(.noAcceptableMechanism)
            }
            let digest = sha1.hashValue(Array((id + secret).utf8))
            return [
                .progress(.opened(.none)), .progress(.authenticating(mechanism: Self.mechanism)),
                .write(StreamMarkup.element(StreamName.handshake, text: Self.hexadecimal(digest))),
            ]
        }
    }

    func answerToHandshakeReceived(_ element: XMLElement, _ channel: ProtectedChannel) -> Transition {
        guard element.isNamed(StreamName.handshake) else {
            return misplaced(element, back: .presentingSecret(channel))
        }
        let ready = StreamNegotiation.Ready(tls: channel.tls, mechanism: Self.mechanism, features: .none)
        return Transition(
            to: .finished,
            [
                .progress(.authenticated), .progress(.bound(configuration.address)),
                .established(address: configuration.address, ready),
            ])
    }

    /// In lower case, as the specification demands.
    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 0x10 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
