package io.github.vertxrdma.impl.loop;

import io.github.vertxrdma.provider.Capabilities.Progress;
import io.github.vertxrdma.provider.CompletionQueue;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.unix.FileDescriptor;

/** Waits for the queue's fd in the event loop's own epoll set. */
final class EpollWaiter implements Waiter, EpollIoHandle {
  private final IoEventLoop loop;
  private final CompletionPoller poller;
  private final CompletionQueue queue;
  private final ProgressTimer timer;
  private final boolean manual;
  private final FileDescriptor fd;
  private IoRegistration registration;

  EpollWaiter(IoEventLoop loop, CompletionPoller poller, ProgressTimer timer, Progress progress) {
    this.loop = loop;
    this.poller = poller;
    this.queue = poller.queue();
    this.timer = timer;
    this.manual = progress == Progress.MANUAL;
    this.fd = new FileDescriptor(queue.fd());
  }

  /** Whether the loop can wait for an fd. */
  static boolean fits(EventLoop loop) {
    return loop instanceof IoEventLoop io && io.isCompatible(EpollWaiter.class);
  }

  @Override
  public void start() {
    registration = loop.register(this).syncUninterruptibly().getNow();
    registration.submit(EpollIoOps.EPOLLIN);
  }

  @Override
  public FileDescriptor fd() {
    return fd;
  }

  @Override
  public void handle(IoRegistration registration, IoEvent event) {
    poller.ready();
  }

  /** The loop ends; the fd is the queue's and stays open. */
  @Override
  public void close() {
    poller.detach();
  }

  @Override
  public boolean settle() {
    return queue.arm();
  }

  @Override
  public void awake() {
  }

  @Override
  public long longestSleep() {
    return manual ? SleepTimes.WOKEN.after(timer.idle()) : Long.MAX_VALUE;
  }

  // Netty keys registrations by fd number, so this has to come before the queue is closed and the number used again.
  @Override
  public void stop() {
    if (registration != null) {
      registration.cancel();
    }
  }

  @Override
  public String describe() {
    return manual ? "fd in the event loop's epoll set, and a timer" : "fd in the event loop's epoll set";
  }
}
