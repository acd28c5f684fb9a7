import HongyanTesting
import Logging
import ServiceLifecycle
import XMPPAddress
import XMPPClient
import XMPPStanzas

// A client as a service, with a logger and metrics, against the server in memory.
let server = MemoryServer(users: ["bot"])
var logger = Logger(label: "bot")
logger.logLevel = .trace
var configuration = try server.account("bot")
configuration.add { [logger] in SessionLog($0, logger: logger) }
configuration.add { SessionMetrics($0) }

let client = Client(configuration) { session in
    try await session.send(Presence())
    try await session.send(.chat(to: try JID("alice@xmpp.test"), body: "a secret of Juliet"))
    print("working")
    await session.untilEnd()
    try Task.checkCancellation()
}
let services: [any Service] = [client]
let shutdown = Shutdown()
try await Shutdown.$current.withValue(shutdown) {
    try await withThrowingTaskGroup(of: Void.self) { group in
        for service in services { group.addTask { try await service.run() } }
        await server.next("message")
        // A graceful shutdown is no failure of the service.
        shutdown.begin()
        try await group.waitForAll()
    }
}
print("ended")
