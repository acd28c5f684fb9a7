// RosterDump ADDRESS PASSWORD-FILE
//
// Prints the contact list as the server keeps it: address, name, subscription and groups, separated by tabulators.
// XMPP_HOST, XMPP_PORT and XMPP_CA in the environment lead to a server that DNS does not know.
import Foundation
import Hongyan

let words = CommandLine.arguments
guard words.count == 3 else {
    print("Usage: RosterDump ADDRESS PASSWORD-FILE")
    exit(ClientError.ExitClass.usage.rawValue)
}

do {
    let environment = ProcessInfo.processInfo.environment
    let password = try String(contentsOfFile: words[2], encoding: .utf8).prefix { !$0.isNewline }
    var configuration = ClientConfiguration(address: try JID(words[1]), password: String(password))
    configuration.host = environment["XMPP_HOST"]
    configuration.port = environment["XMPP_PORT"].flatMap { UInt16($0) }
    if let authority = environment["XMPP_CA"] { configuration.trust = .certificateAuthority(authority) }

    // Asked for by hand, so that a failure is an error here.
    var policy = RosterPolicy()
    policy.fetchesAutomatically = false
    configuration.add { [policy] in Roster($0, policy: policy) }

    try await Client(configuration).run { session in
        guard let roster = session[Roster.self] else { return }
        try await roster.fetch()
        for item in await roster.allItems {
            let groups = item.groups.sorted().joined(separator: ", ")
            print(item.address, item.name ?? "", item.subscription.rawValue, groups, separator: "\t")
        }
    }
} catch {
    FileHandle.standardError.write(Data("RosterDump: \(error)\n".utf8))
    exit((error as? ClientError)?.exitClass.rawValue ?? 1)
}
