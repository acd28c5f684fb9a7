/// Data that only the two ends of a TLS connection know (RFC 5056), used by the `-PLUS` mechanisms.
public enum ChannelBinding: Sendable, Hashable {
    /// Keying material exported under the label of RFC 9266 §2: 32 bytes. The only unique binding of TLS 1.3.
    case tlsExporter([UInt8])
    /// The hash of the server's certificate (RFC 5929 §4). It also works with TLS offloading and is weaker.
    case tlsServerEndPoint([UInt8])
    /// The first Finished message (RFC 5929 §3). Undefined for TLS 1.3, so only TLS 1.2 may provide it.
    case tlsUnique([UInt8])

    /// The kind of a binding; the raw value is its name in the IANA registry and in XEP-0440.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case tlsExporter = "tls-exporter"
        case tlsUnique = "tls-unique"
        case tlsServerEndPoint = "tls-server-end-point"
    }

    /// The kind of the binding.
    public var kind: Kind {
        switch self {
        case .tlsExporter: .tlsExporter
        case .tlsServerEndPoint: .tlsServerEndPoint
        case .tlsUnique: .tlsUnique
        }
    }

    /// The name in the IANA registry, as in the GS2 header.
    public var name: String { kind.rawValue }

    /// The binding data, which both ends compute and never send unprotected.
    public var data: [UInt8] {
        switch self {
        case .tlsExporter(let data), .tlsServerEndPoint(let data), .tlsUnique(let data): data
        }
    }
}

/// What the client says about channel binding in the GS2 header (RFC 5802 §6, `gs2-cbind-flag`).
public enum GS2ChannelBinding: Sendable, Hashable {
    /// `n`: the client cannot bind, or cannot bind the way this server can.
    case unsupported
    /// `y`: the client could bind but the server offers no `-PLUS`. A server that did offer it detects that someone
    /// removed it from the list, and refuses.
    case notOffered
    /// `p=name`: the exchange is bound.
    case bound(ChannelBinding)

    var flag: String {
        switch self {
        case .unsupported: "n"
        case .notOffered: "y"
        case .bound(let binding): "p=\(binding.name)"
        }
    }

    var data: [UInt8] {
        switch self {
        case .unsupported, .notOffered: []
        case .bound(let binding): binding.data
        }
    }
}
