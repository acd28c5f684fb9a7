// Waiting for connections, and errors.
import Hongyan

func remind(_ session: Session, _ friend: JID) async throws {
    // Throws at once while there is no connection that will be resumed …
    do throws(ClientError) {
        try await session.send(.chat(to: friend, body: "Tea?"))
    } catch {
        print(error.code, error.message)
    }
    // … and waits for the next connection.
    let token = try await session.send(.chat(to: friend, body: "Tea!"), whenOffline: .wait)
    // The server has it: from now on it is not lost with the connection.
    try await token.reached(.acknowledged)
}

func ask(_ session: Session, _ peer: JID) async throws {
    guard let discovery = session[ServiceDiscovery.self] else { return }
    do throws(ClientError) {
        print(try await discovery.information(of: peer).features.sorted())
    } catch {
        guard error.stanzaError?.condition == .itemNotFound else { throw error }
        // "The address or item does not exist. (get {http://jabber.org/protocol/disco#info}query to peer@example.org)"
        print(error)
    }
}
