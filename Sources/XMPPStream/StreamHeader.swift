package import XMLStreaming
import XMPPAddress
import XMPPStanzas

/// What the peer's stream header says (RFC 6120 §4.7).
package struct StreamHeader: Equatable, Sendable {
    package let id: String?
    package let from: String?
    package let to: String?
    package let language: String?

    /// Holds a root element to RFC 6120 §4.7.5 and §4.8.1.
    ///
    /// - Throws: `.notXMPP` for another root, `.unsupportedVersion` for a missing version or one before 1.0; both with
    ///   the stream error that answers them.
    package init(_ root: XMLElement, contentNamespace: String) throws(StreamFailure) {
        guard root.isNamed(StreamName.stream) || root.isNamed(StreamName.open) else {
            throw StreamFailure(.notXMPP, text: root.name.description)
        }
        guard contentNamespace == XMPPNamespace.client else { throw StreamFailure(.notXMPP, text: contentNamespace) }
        // Major and minor are separate integers (§4.7.5): 1.10 is newer than 1.9, and 01.0 is 1.0.
        let major = root["version"]?.split(separator: ".", omittingEmptySubsequences: false).first.flatMap { Int($0) }
        guard let major, major >= 1 else { throw StreamFailure(.unsupportedVersion, text: root["version"]) }
        id = root["id"]
        from = root["from"]
        to = root["to"]
        language = root.language
    }

    /// Holds the `from` to the domain that was asked for (RFC 6120 §4.7.1). Some servers leave it out.
    ///
    /// - Throws: `.serverMismatch`.
    package func mustComeFrom(_ domain: String) throws(StreamFailure) {
        guard let from else { return }
        guard let address = try? JID(from), address == address.domainJID, address.domain == domain else {
            throw StreamFailure(.serverMismatch, text: from)
        }
    }
}
