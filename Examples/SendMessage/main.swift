// SendMessage ADDRESS PASSWORD-FILE TO TEXT…
//
// Sends one message and ends when the server has taken it.
// XMPP_HOST, XMPP_PORT and XMPP_CA in the environment lead to a server that DNS does not know.
import Foundation
import Hongyan

let words = CommandLine.arguments
guard words.count >= 5 else {
    print("Usage: SendMessage ADDRESS PASSWORD-FILE TO TEXT…")
    exit(ClientError.ExitClass.usage.rawValue)
}

do {
    let environment = ProcessInfo.processInfo.environment
    let receiver = try JID(words[3])
    let password = try String(contentsOfFile: words[2], encoding: .utf8).prefix { !$0.isNewline }
    var configuration = ClientConfiguration(address: try JID(words[1]), password: String(password))
    configuration.host = environment["XMPP_HOST"]
    configuration.port = environment["XMPP_PORT"].flatMap { UInt16($0) }
    if let authority = environment["XMPP_CA"] { configuration.trust = .certificateAuthority(authority) }
    // Makes a message fail that comes back as an error.
    configuration.add { _ in DeliveryReceipts() }

    try await Client(configuration).run { session in
        let token = try await session.send(.chat(to: receiver, body: words.dropFirst(4).joined(separator: " ")))
        // The server works in order: who has its answer to this knows that it has dealt with the message.
        try await session.ping()
        if let failure = token.failure { throw failure }
        print("Sent to \(receiver).")
    }
} catch {
    FileHandle.standardError.write(Data("SendMessage: \(error)\n".utf8))
    exit((error as? ClientError)?.exitClass.rawValue ?? 1)
}
