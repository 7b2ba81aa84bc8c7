package io.github.vertxrdma.impl.poll;

import io.github.vertxrdma.provider.Capabilities.Progress;
import io.github.vertxrdma.provider.CompletionQueue;
import io.netty.channel.unix.FileDescriptor;
import io.vertx.core.Future;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;

/**
 * Waits until the completion queue's fd is readable. A loop that sleeps without polling first also watches a socket that the queue names. A
 * polling loop does not, because the kernel tends to run both ends of a watched socket on one processor.
 */
final class FdWaiter implements Waiter, CompletionQueue.DirectWatch {
  private static final Logger LOG = LoggerFactory.getLogger(FdWaiter.class);

  private final CompletionPoller poller;
  private final CompletionQueue queue;
  private final boolean manual;
  private final FdWatch watch;
  private final boolean hasEpoll;
  private boolean offered;
  private FdWatch direct;

  FdWaiter(CompletionPoller poller, Progress progress) {
    this.poller = poller;
    this.queue = poller.queue();
    this.manual = progress == Progress.MANUAL;
    this.hasEpoll = FdWatch.hasEpoll(poller.eventLoop());
    this.watch = FdWatch.of(poller.eventLoop(), new FileDescriptor(queue.fd()), poller::ready);
  }

  @Override
  public void prepare() {
    watch.prepare();
  }

  @Override
  public void start() {
    watch.start();
  }

  private void offer(boolean wanted) {
    if (wanted != offered) {
      offered = wanted;
      queue.offer(wanted ? this : null);
    }
  }

  @Override
  public boolean watch(int fd) {
    if (direct != null) {
      direct.stop();
      direct = null;
    }
    if (fd >= 0) {
      FdWatch next = FdWatch.of(poller.eventLoop(), new FileDescriptor(fd), poller::ready);
      try {
        next.start();
      } catch (Exception e) {
        LOG.debug("A file descriptor is watched through its completion queue, since the event loop cannot watch it", e);
        return false;
      }
      direct = next;
    }
    return true;
  }

  @Override
  public boolean woke(int fd) {
    return fd == queue.fd() ? watch.woke() : direct != null && direct.woke();
  }

  @Override
  public boolean prepareSleep(boolean found) {
    offer(hasEpoll && poller.sleepsAtOnce());
    if (!queue.arm()) {
      return false;
    }
    // Completions after arming make the fd readable.
    watch.again();
    if (direct != null) {
      direct.again();
    }
    return true;
  }

  @Override
  public void pauseWakeups() {
    watch.pause();
    if (direct != null) {
      direct.pause();
    }
  }

  @Override
  public long longestSleep() {
    return manual ? SleepTimes.WOKEN.after(poller.timer.idle()) : Long.MAX_VALUE;
  }

  @Override
  public Future<Void> stop() {
    offer(false);
    return watch.stop();
  }
}
