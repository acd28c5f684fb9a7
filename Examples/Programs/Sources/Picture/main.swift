// Picture ADDRESS FILE: sends a file and shows how much of it is uploaded.
import Hongyan

await Client.main {
    var configuration = try ClientConfiguration.environment()
    configuration.add { ServiceDiscovery($0) }
    configuration.add { FileSharing($0) }
    return configuration
} run: { session in
    let words = CommandLine.arguments
    guard let files = session[FileSharing.self], words.count == 3 else { return }
    let token = try await files.send(LocalFile(words[2]), to: try JID(words[1])) { progress in
        print("\(progress.completed) of \(progress.total ?? 0) bytes")
    }
    try await token.reached(.acknowledged)
    print("sent")
}
