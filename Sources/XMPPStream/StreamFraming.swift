package import XMLStreaming
import XMPPAddress
import XMPPStanzas

/// How the elements of a stream are transported.
public enum StreamFraming: Sendable, Hashable {
    /// One document (RFC 6120 §4), over TCP.
    case stream
    /// One document per message (RFC 7395 §3), over WebSocket.
    ///
    ///     C: <open xmlns='urn:ietf:params:xml:ns:xmpp-framing' to='example.com' version='1.0'/>
    ///     C: <presence xmlns='jabber:client'/>
    case webSocket
}

extension StreamFraming {
    /// The opening of a client stream. Without encryption the `from` is omitted, because it would reveal the account to
    /// an eavesdropper (RFC 6120 §4.7.1).
    func header(to domain: String, from address: JID?, isComponent: Bool = false) -> [UInt8] {
        switch self {
        case .stream where isComponent: StreamMarkup.header(toComponent: domain)
        case .stream: StreamMarkup.header(to: domain, from: address)
        case .webSocket:
            StreamMarkup.element(
                StreamName.open, ["to": domain, "from": address?.bare.description, "version": "1.0"])
        }
    }

    /// The closing tag or element of a stream.
    var footer: [UInt8] {
        switch self {
        case .stream: StreamMarkup.footer
        case .webSocket: StreamMarkup.element(StreamName.close)
        }
    }

    /// An element as it is sent. The machines write elements as parts of a stream; as separate documents they must
    /// declare their namespace themselves.
    func document(of element: [UInt8]) -> [UInt8] {
        guard self == .webSocket, let name = element.firstIndex(where: { $0 == 0x20 || $0 == 0x2F || $0 == 0x3E })
        else {
            return element
        }
        let declaration: String
        if element.starts(with: "<stream:".utf8) {
            declaration = " xmlns:stream='\(XMLNamespace.streams)'"
        } else if element[name...].starts(with: " xmlns=".utf8) {
            // The writer declares a namespace before any other attribute, unless it is that of stanzas.
            return element
        } else {
            declaration = " xmlns='\(XMPPNamespace.client)'"
        }
        return element[..<name] + Array(declaration.utf8) + element[name...]
    }

    /// A root element for the parser, so that the documents of one connection are its children.
    static let rootOfMessages = XMLWriter.streamHeader(namespace: XMPPNamespace.client)
}

/// The content of the stream header of the peer (RFC 6120 §4.7).
package struct StreamHeader: Equatable, Sendable {
    package let id: String?
    package let from: String?
    package let to: String?
    package let language: String?

    /// Checks a root element (RFC 6120 §4.7.5, §4.8.1); that of a component has no version (XEP-0114 §3).
    ///
    /// - Throws: `.notXMPP` for another root, `.unsupportedVersion` for a missing version or one before 1.0; both with
    ///   the stream error that answers them.
    package init(
        _ root: XMLElement, contentNamespace: String, expecting expected: String = XMPPNamespace.client
    ) throws(StreamFailure) {
        guard root.isNamed(StreamName.stream) || root.isNamed(StreamName.open) else {
            throw StreamFailure(.notXMPP, text: root.name.description)
        }
        guard contentNamespace == expected else { throw StreamFailure(.notXMPP, text: contentNamespace) }
        // Major and minor are separate integers (§4.7.5): 1.10 is newer than 1.9, and 01.0 is 1.0.
        let major = root["version"]?.split(separator: ".", omittingEmptySubsequences: false).first.flatMap { Int($0) }
        if expected != StreamNamespace.component, (major ?? 0) < 1 {
            throw StreamFailure(.unsupportedVersion, text: root["version"])
        }
        id = root["id"]
        from = root["from"]
        to = root["to"]
        language = root.language
    }

    /// Checks that the `from` is the requested domain (RFC 6120 §4.7.1). Some servers omit it.
    ///
    /// - Throws: `.serverMismatch`.
    package func mustComeFrom(_ domain: String) throws(StreamFailure) {
        guard let from else { return }
        guard let address = try? JID(from), address == address.domainJID, address.domain == domain else {
            throw StreamFailure(.serverMismatch, text: from)
        }
    }
}
