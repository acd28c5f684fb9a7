// History ADDRESS COUNT: the last messages with somebody, from the archive of the server (XEP-0313).
import Hongyan

await Client.main {
    var configuration = try ClientConfiguration.environment()
    configuration.add { ServiceDiscovery($0) }
    configuration.add { MessageArchive($0) }
    return configuration
} run: { session in
    let words = CommandLine.arguments
    guard let archive = session[MessageArchive.self], words.count == 3, let count = Int(words[2]) else { return }
    var lines: [String] = []
    for try await page in archive.pages(filter: ArchiveFilter(with: try JID(words[1])), from: .newest(100)) {
        lines =
            page.messages.compactMap { archived in
                guard let message = archived.message, let body = message.body else { return nil }
                return "\(archived.stamp?.description ?? "") \(message.from?.local ?? ""): \(body)"
            } + lines
        if lines.count >= count { break }
    }
    for line in lines.suffix(count) { print(line) }
}
