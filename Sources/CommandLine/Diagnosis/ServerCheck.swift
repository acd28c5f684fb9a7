internal import ChatModel
internal import EntityInformation
internal import JSONRPC
internal import ServiceDiscovery
internal import XMLStreaming
internal import XMPPAddress
internal import XMPPClient
internal import XMPPStream

/// The features that the account's server announces.
struct ServerCheck: DiagnosisCheck {
    /// A feature that users would miss; the raw values are the names in JSON.
    enum Feature: String, Sendable, CaseIterable {
        case carbons, blocking, clientState = "client-state", push, personalEvents = "pep", bookmarks, rooms
        case externalServices = "external-services"

        var phrase: Phrase {
            switch self {
            case .carbons: Phrase("carbons")
            case .blocking: Phrase("blocking")
            case .clientState: Phrase("client state (CSI)")
            case .push: Phrase("push")
            case .personalEvents: Phrase("personal events (PEP)")
            case .bookmarks: Phrase("bookmarks")
            case .rooms: Phrase("rooms")
            case .externalServices: Phrase("relays for calls")
            }
        }
    }

    var software: String?
    var features: Set<Feature> = []
    /// The features of the account; `nil` if it did not respond.
    var accountFeatures: Set<String>?
    /// Why the server did not report its features.
    var failure: Phrase?
    var duration: Duration?

    var step: DiagnosisStep { .server }
    var outcome: DiagnosisOutcome { failure == nil ? .passed : .warning }

    var summary: Phrase {
        if failure != nil { return Phrase("the server does not report its features") }
        return software.map { .verbatim($0) } ?? Phrase("the server does not report its software")
    }

    private func list(_ isWanted: (Feature) -> Bool) -> Phrase? {
        let found = Feature.allCases.filter(isWanted)
        return found.isEmpty ? nil : .list(found.map(\.phrase))
    }

    var details: [DiagnosisDetail] {
        if let failure { return [.init(failure, .warning)] }
        return [
            list(features.contains).map { .init(Phrase("has: %@", $0)) },
            list { !features.contains($0) }.map { .init(Phrase("lacks: %@", $0)) },
        ].compactMap(\.self)
    }

    var facts: [(String, JSONValue)] {
        [
            ("software", .text(software)),
            (
                "features",
                .object(
                    Feature.allCases.map { JSONMember(key: $0.rawValue, value: .bool(features.contains($0))) })
            ), ("error", .text(failure)),
        ]
    }

    static func run(in session: Session) async -> ServerCheck {
        let clock = ContinuousClock()
        let start = clock.now
        var check = ServerCheck()
        guard let discovery = session[ServiceDiscovery.self], let address = await session.address else { return check }
        let server = address.domainJID
        do throws(ClientError) {
            let own = try await discovery.information(of: server).features
            let account = try? await discovery.information(of: address.bare)
            check.accountFeatures = account?.features
            check.features = features(
                server: own, account: account, stream: await session.agreement?.features ?? .none)
            if let found = try? await discovery.service(offering: rooms), found.address != server {
                check.features.insert(.rooms)
            }
        } catch {
            check.failure = .wording { Wording.failure(any: error) }
        }
        if let version = try? await session.request(SoftwareVersionRequest(), to: server) {
            check.software = [version.softwareName, version.version].filter { !$0.isEmpty }.joined(separator: " ")
        }
        check.duration = clock.now - start
        return check
    }

    private static let rooms = "http://jabber.org/protocol/muc"

    static func features(
        server: Set<String>, account: DiscoveryInformation?, stream: StreamFeatures
    ) -> Set<Feature> {
        let all = server.union(account?.features ?? [])
        var found: Set<Feature> = []
        if all.contains("urn:xmpp:carbons:2") { found.insert(.carbons) }
        if all.contains("urn:xmpp:blocking") { found.insert(.blocking) }
        if all.contains("urn:xmpp:push:0") { found.insert(.push) }
        if all.contains(where: { $0.hasPrefix("urn:xmpp:extdisco:") }) { found.insert(.externalServices) }
        if all.contains(where: { $0.hasPrefix("urn:xmpp:bookmarks:1") }) { found.insert(.bookmarks) }
        if account?.hasIdentity(category: "pubsub", type: "pep") == true { found.insert(.personalEvents) }
        if stream.offers(XMLName("csi", "urn:xmpp:csi:0")) { found.insert(.clientState) }
        return found
    }
}
