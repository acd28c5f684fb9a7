import ChatEngine
import EndToEndEncryption
import Foundation
import OMEMO
import PublishSubscribe
import XMPPClient

/// The identity key in a file, which is not restored together with an old copy of the store.
private struct IdentityFile: OMEMOIdentities {
    let path: String

    func search() async throws -> IdentitySearch {
        guard FileManager.default.fileExists(atPath: path) else { return IdentitySearch() }
        return IdentitySearch([.init(Array(try Data(contentsOf: URL(filePath: path))), in: "file")])
    }

    func save(_ seed: [UInt8]) async throws -> String {
        try Data(seed).write(to: URL(filePath: path), options: .atomic)
        return "file"
    }
}

extension Device {
    /// The settings of an encrypted run, in which nothing may be sent in clear.
    var encryption: OMEMOSettings? {
        guard !settings.members.isEmpty else { return nil }
        return OMEMOSettings(identities: IdentityFile(path: "\(folder)/\(ChaosFiles.identity)"), policy: .always)
    }

    /// Replaces the account's device lists, like another program of the user that does not know all devices.
    ///
    /// - Parameter keepingOne: only the first device remains; otherwise only the last one is missing.
    func replaceLists(keepingOne: Bool) async {
        do {
            var configuration = try configuration
            configuration.interceptors = []
            configuration.add { PublishSubscribe($0) }
            try await Client(configuration).run { session in
                guard let data = session[PublishSubscribe.self] else { return }
                for generation in OMEMOGeneration.allCases {
                    let page = try await data.items(of: generation.devicesNode, maximum: 1)
                    guard let item = page.items.first, let payload = item.payload else { continue }
                    var list = try OMEMODeviceList(from: payload)
                    list.devices = keepingOne ? Array(list.devices.prefix(1)) : list.devices.dropLast()
                    try await data.publish(list, id: item.id ?? "current", in: generation.devicesNode)
                }
            }
            log.say("replaced the device lists")
        } catch {
            log.say("the device lists were not replaced: \(error)")
        }
    }
}
