// Gateway DOMAIN SECRET-FILE
//
// A component with the shape of a gateway: 1,000 addresses, each a contact of its own, which say back what they are told.
// XMPP_HOST and XMPP_COMPONENT_PORT in the environment lead to the server's port for components.
import Foundation
import Hongyan

let words = CommandLine.arguments
guard words.count == 3 else {
    print("Usage: Gateway DOMAIN SECRET-FILE")
    exit(ClientError.ExitClass.usage.rawValue)
}

do {
    let environment = ProcessInfo.processInfo.environment
    let secret = try String(contentsOfFile: words[2], encoding: .utf8).prefix { !$0.isNewline }
    let domain = try JID(words[1])
    let geese = try (1...1000).map { try JID(local: "goose\($0)", domain: domain.domain) }
    let flock = AddressDescription(
        .init(category: "gateway", type: "x-geese"), items: geese.map { .init(address: $0, name: $0.local) })
    let goose = AddressDescription(.init(category: "client", type: "bot", name: "Goose"))
    let known = Dictionary(uniqueKeysWithValues: [(domain, flock)] + geese.map { ($0, goose) })

    var configuration = ComponentConfiguration(domain: domain, secret: String(secret))
    if let host = environment["XMPP_HOST"] { configuration.host = host }
    if let port = environment["XMPP_COMPONENT_PORT"].flatMap({ UInt16($0) }) { configuration.port = port }
    configuration.add { _ in EntityInformation() }
    configuration.add { ComponentRoster($0, policy: .acceptAll, presence: Presence(status: "Honk!")) }
    configuration.add { ServiceDiscovery($0) { address, _ in known[address.bare] } }

    try await Component(configuration).run { session in
        // Ctrl-C: everybody sees the geese go.
        signal(SIGINT, SIG_IGN)
        let interrupt = DispatchSource.makeSignalSource(signal: SIGINT, queue: .main)
        interrupt.setEventHandler {
            Task {
                try? await session[ComponentRoster.self]?.signOff()
                await session.close()
            }
        }
        interrupt.resume()

        let events = session.events(.messages)
        FileHandle.standardOutput.write(Data("ready\n".utf8))
        for await batch in events {
            for case .message(let message) in batch where message.isChatMessageWithBody {
                guard let sender = message.from, let address = message.to, let body = message.body else { continue }
                var answer = Message.chat(to: sender, body: "\(address.local ?? "The flock"): \(body)")
                answer.from = address
                let refusal = known[address.bare] == nil ? message.errorReply(StanzaError(.itemNotFound)) : nil
                // While the connection is lost, there is nobody to answer.
                _ = try? await session.send(refusal ?? answer)
            }
        }
    }
} catch {
    FileHandle.standardError.write(Data("Gateway: \(error)\n".utf8))
    exit((error as? ClientError)?.exitClass.rawValue ?? 1)
}
