#if ServiceLifecycleSupport
    public import ServiceLifecycle

    extension Client: Service {}
    extension Component: Service {}
#endif

/// Runs a program until it ends or, in a service group, until the group shuts down: then the program is cancelled, and the
/// session is closed properly.
func untilShutdown(_ body: @escaping @Sendable () async throws -> Void) async throws {
    #if ServiceLifecycleSupport
        do {
            try await cancelWhenGracefulShutdown { try await body() }
        } catch is CancellationError where Task.isShuttingDownGracefully {
            // A service that was asked to end has not failed.
        }
    #else
        try await body()
    #endif
}
