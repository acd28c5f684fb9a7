import Foundation
import ServerFixtures
import TransportLayer

/// One transport to one server: a row of the table that `Scripts/test --matrix` prints.
struct MatrixRow: Sendable, Hashable, CustomStringConvertible {
    enum Way: String, Sendable, CaseIterable {
        case startTLS = "STARTTLS"
        case directTLS = "direct TLS"
        case webSocket = "WebSocket"
    }

    var kind: ServerKind
    var way: Way
    var tls: TLSVersion

    var tlsName: String { tls == .tls12 ? "TLS 1.2" : "TLS 1.3" }
    var description: String { "\(kind), \(way.rawValue), \(tlsName)" }

    /// Every server, transport and version.
    static let all: [MatrixRow] = ServerKind.allCases.flatMap { kind in
        Way.allCases.flatMap { way in [.tls12, .tls13].map { MatrixRow(kind: kind, way: way, tls: $0) } }
    }

    /// One row for each server and transport, with the version that is usual today; Prosody 0.12 supports channel
    /// binding with TLS 1.2 only.
    static let few = all.filter { $0.tls == ($0.kind == .prosody012 ? .tls12 : .tls13) }

    /// All rows if a report was requested.
    static var selected: [MatrixRow] { MatrixReport.file == nil ? few : all }
}
