// What an operator may want to set, in code; ClientConfiguration.environment() does the same from the environment.
import Foundation
import Hongyan

await Client.main {
    let variables = ProcessInfo.processInfo.environment
    let identity = TLSIdentity(
        certificateChainFile: variables["CERTIFICATE"] ?? "", privateKeyFile: variables["KEY"] ?? "")
    var configuration = ClientConfiguration(address: try JID(variables["XMPP_JID"] ?? ""), identity: identity)
    configuration.host = variables["XMPP_HOST"]
    configuration.port = variables["XMPP_PORT"].flatMap { UInt16($0) }
    configuration.trust = .certificateAuthority(variables["XMPP_CA"] ?? "")
    configuration.proxy = try variables["XMPP_PROXY"].map { try Proxy($0) }
    configuration.loginTimeout = .seconds(60)
    configuration.reconnection.attempts = 10
    configuration.keepAlive = .adaptive(KeepAliveBounds())
    configuration.add { SessionLog($0, .wire) { level, line in print("\(level): \(line)") } }
    configuration.add { ServiceDiscovery($0) }
    configuration.add { FileSharing($0) }
    return configuration
} run: { session in
    let roundTrip = try await session.ping()
    let traffic = await session.traffic
    print("online in \(traffic.bytesReceived) bytes, round trip \(roundTrip)")
    if let file = CommandLine.arguments.dropFirst().first {
        print(try await session[FileSharing.self]?.upload(LocalFile(file)) ?? "")
    }
}
