public import MessageSemantics
public import OMEMO
internal import PublishSubscribe
internal import XMPPClient

/// A node with keys of this device that not everyone can read, or that is missing: some people cannot encrypt for it.
public struct ClosedNode: Sendable, Hashable {
    public var node: String
    /// Its access model (XEP-0060 §4.5); `nil` if there is no such node.
    public var accessModel: String?

    public init(_ node: String, accessModel: String?) {
        self.node = node
        self.accessModel = accessModel
    }
}

/// Who may read the lists and bundles.
extension OMEMODevices {
    /// The nodes of this device that not everyone can read. A service that does not tell is taken at its word: there,
    /// preconditions decide when something is published.
    public func closedNodes(of device: OMEMODevice) async throws(ProtectionError) -> [ClosedNode] {
        guard let data = session[PublishSubscribe.self] else { throw Self.unavailable }
        var closed: [ClosedNode] = []
        for generation in OMEMOGeneration.allCases.reversed() {
            for node in [generation.devicesNode, generation.bundlesNode(of: device)] {
                do throws(ClientError) {
                    let model = NodeConfiguration(try await data.configurationForm(of: node)).accessModel
                    if let model, model != .open { closed.append(ClosedNode(node, accessModel: model.rawValue)) }
                } catch  where error.isItemNotFound {
                    closed.append(ClosedNode(node, accessModel: nil))
                } catch  where error.reading == .missing {
                    // The service has no configuration.
                } catch {
                    throw Self.refusal(error)
                }
            }
        }
        return closed
    }

    /// Makes the nodes of this device readable by everyone (XEP-0384 §5.3).
    ///
    /// - Returns: the nodes that were repaired.
    @discardableResult
    public func repairAccess(of device: OMEMODevice) async throws(ProtectionError) -> [String] {
        var repaired: [String] = []
        for generation in OMEMOGeneration.allCases {
            if try await repair(generation.devicesNode, .publicData) { repaired.append(generation.devicesNode) }
            let node = generation.bundlesNode(of: device)
            if try await repair(node, .ofBundles(generation)) { repaired.append(node) }
        }
        return repaired
    }

    @discardableResult
    func repair(_ node: String, _ wanted: NodeConfiguration) async throws(ProtectionError) -> Bool {
        guard let data = session[PublishSubscribe.self] else { throw Self.unavailable }
        do throws(ClientError) {
            let present = NodeConfiguration(try await data.configurationForm(of: node))
            let isReadable = present.accessModel == nil || present.accessModel == wanted.accessModel
            // A node of one item forgets the bundle of each device but the last.
            let isLargeEnough = wanted.itemLimit == nil || present.itemLimit != .count(1)
            guard !isReadable || !isLargeEnough || present.keepsItems == false else { return false }
            try await data.configure(node, wanted)
            return true
        } catch  where error.reading == .missing {
            // There is no node, or the service cannot configure one.
            return false
        } catch {
            throw Self.refusal(error)
        }
    }
}

extension NodeConfiguration {
    /// Everybody may read bundles; those of the current generation are the items of one node (XEP-0384 §5.3.2).
    static func ofBundles(_ generation: OMEMOGeneration) -> NodeConfiguration {
        var configuration = NodeConfiguration.publicData
        if generation == .current { configuration.itemLimit = .greatest }
        return configuration
    }
}
