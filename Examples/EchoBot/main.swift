// EchoBot ADDRESS PASSWORD-FILE
//
// Befriends whoever asks and says back what it is told, until Ctrl-C or the server ends it.
// XMPP_HOST, XMPP_PORT and XMPP_CA in the environment lead to a server that DNS does not know.
import Foundation
import Hongyan

let words = CommandLine.arguments
guard words.count == 3 else {
    print("Usage: EchoBot ADDRESS PASSWORD-FILE")
    exit(ClientError.ExitClass.usage.rawValue)
}

let bot = Task {
    let environment = ProcessInfo.processInfo.environment
    let password = try String(contentsOfFile: words[2], encoding: .utf8).prefix { !$0.isNewline }
    var configuration = ClientConfiguration(address: try JID(words[1]), password: String(password))
    configuration.host = environment["XMPP_HOST"]
    configuration.port = environment["XMPP_PORT"].flatMap { UInt16($0) }
    if let authority = environment["XMPP_CA"] { configuration.trust = .certificateAuthority(authority) }

    var policy = RosterPolicy()
    policy.acceptsAllRequests = true
    configuration.add { [policy] in Roster($0, policy: policy) }
    configuration.add { ServiceDiscovery($0, identity: .init(category: "client", type: "bot", name: "Echo")) }
    configuration.add { _ in EntityInformation() }
    configuration.add { _ in DeliveryReceipts() }

    try await Client(configuration).run { session in
        let events = session.events(.messages)
        try await session.send(Presence(status: "I say what you say."))
        FileHandle.standardOutput.write(Data("ready\n".utf8))
        for await batch in events {
            for case .message(let message) in batch where message.isChatMessageWithBody {
                guard let sender = message.from, let body = message.body else { continue }
                try await session.send(.chat(to: sender, body: body))
            }
        }
    }
}

// Cancelling closes the stream politely: the friends see the bot go.
signal(SIGINT, SIG_IGN)
let interrupt = DispatchSource.makeSignalSource(signal: SIGINT, queue: .main)
interrupt.setEventHandler { bot.cancel() }
interrupt.resume()

do {
    try await bot.value
} catch {
    FileHandle.standardError.write(Data("EchoBot: \(error)\n".utf8))
    exit((error as? ClientError)?.exitClass.rawValue ?? 1)
}
