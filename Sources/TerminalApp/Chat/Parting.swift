internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import Localization

/// Sends the last messages before the session ends; the others wait in the profile, which a line reports.
@MainActor
struct Parting {
    let models: AccountModels
    let console: ChatConsole

    /// How long quitting waits for the last messages to be sent.
    private static let timeout = Duration.seconds(3)

    func sendTheRest() async {
        let changes = models.account.store.changes()
        var count = await waitingCount()
        if models.connection.isOnline, count > 0 {
            await withTaskGroup { group in
                group.addTask { try? await Task.sleep(for: Self.timeout) }
                group.addTask {
                    for await change in changes where change.sendQueue {
                        if await isQueueEmpty() { return }
                    }
                }
                await group.next()
                group.cancelAll()
            }
            count = await waitingCount()
        }
        if count > 0 {
            console.showNotice(
                localized(
                    "Not sent yet: %@. They are sent with the next connection; `hongyan queue` lists them.", count))
        }
    }

    private func isQueueEmpty() async -> Bool {
        let id = models.account.id
        let isEmpty = try? await models.account.store.read { store throws(StoreError) in
            var position: Int64? = 0
            while let start = position {
                let page = try store.sendQueue(of: id, in: nil, after: start, limit: 16)
                if !page.messages.isEmpty { return false }
                // The entries were those of other accounts.
                position = page.end
            }
            return true
        }
        return isEmpty ?? true
    }

    private func waitingCount() async -> Int {
        let id = models.account.id
        return (try? await models.account.store.read { store throws(StoreError) in try store.sendQueue(of: id).count })
            ?? 0
    }
}
