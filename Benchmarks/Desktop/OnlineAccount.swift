import Foundation
import GroupChat
import PublishSubscribe
import Roster
import ServiceDiscovery
import XMPPAddress
import XMPPClient

/// An account with some contacts and one room.
///
/// `XMPP_HOST`, `XMPP_PORT` and `XMPP_CA` in the environment select a server that is not in DNS.
enum OnlineAccount {
    nonisolated static func fill(_ address: String, passwordFile: String, contacts: Int) async throws {
        let environment = ProcessInfo.processInfo.environment
        let password = try String(contentsOfFile: passwordFile, encoding: .utf8).prefix { !$0.isNewline }
        let own = try JID(address)
        var configuration = ClientConfiguration(address: own, password: String(password))
        configuration.host = environment["XMPP_HOST"]
        configuration.port = environment["XMPP_PORT"].flatMap { UInt16($0) }
        if let authority = environment["XMPP_CA"] { configuration.trust = .certificateAuthority(authority) }
        configuration.add { ServiceDiscovery($0, identity: .init(category: "client", type: "bot", name: "Benchmark")) }
        configuration.add { Roster($0) }
        configuration.add { PublishSubscribe($0) }
        configuration.add { Bookmarks($0, joinsAutomatically: false) }

        try await Client(configuration).run { session in
            guard let roster = session[Roster.self], let bookmarks = session[Bookmarks.self] else { return }
            for number in 0..<contacts {
                _ = try await roster.add(JID("friend\(number)@\(own.domain)"), name: "Friend \(number)")
            }
            try await bookmarks.set(
                Bookmark(title: "Garden", joinsAutomatically: true), for: JID("garden@conference.\(own.domain)"))
        }
    }
}
