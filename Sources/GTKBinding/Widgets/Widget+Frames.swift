internal import CGTK
internal import Glibc

extension Widget {
    /// What a frame took: the time one waits, and this thread's share of the processor in it.
    public struct FrameWork: Sendable {
        public let wall: Duration
        public let processor: Duration
    }

    /// Calls `body` after each frame of its window with what the frame's work took: changes, layout and painting, not the waiting
    /// between frames. To be called when the window is on the screen.
    public func onFrameWork(_ body: @escaping (FrameWork) -> Void) {
        guard let frames = gtk_widget_get_frame_clock(widget) else { return }
        let clock = Object(borrowing: UnsafeMutableRawPointer(frames))
        var start = (wall: ContinuousClock.now, processor: Self.processorTime)
        clock.on("before-paint") { start = (.now, Self.processorTime) }
        clock.on("after-paint") {
            body(FrameWork(wall: .now - start.wall, processor: Self.processorTime - start.processor))
        }
    }

    private static var processorTime: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
