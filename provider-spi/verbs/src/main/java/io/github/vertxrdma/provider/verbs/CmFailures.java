package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.ffi.Errno;

final class CmFailures {
  private CmFailures() {
  }

  static ProviderException of(String who, String step, CmEvent event, boolean iwarp) {
    int errno = event.status() < 0 ? -event.status() : 0;
    String what = who + ": RDMA_CM_EVENT_" + event.type() + " (event " + event.number() + ") while " + step;
    return switch (event.type()) {
      case REJECTED -> iwarp ? rejectedByTcp(who, event) : rejected(who, event);
      case UNREACHABLE -> errno == 0 || errno == Errno.ETIMEDOUT
        ? new ProviderException(Reason.TIMEOUT, errno, who + ": the peer did not answer. Check that it is running, and that "
          + "firewalls permit " + (iwarp ? "its TCP port" : "RoCE's UDP port 4791 or the InfiniBand connection manager"))
        : unreachable(who, errno, "the peer cannot be reached");
      case ADDR_ERROR ->
        unreachable(who, errno, "the address cannot be resolved", ". Check that there is a route, and that the peer answers ARP requests");
      case ROUTE_ERROR -> unreachable(who, errno, "the route cannot be resolved", ". On InfiniBand, check that the "
        + "subnet manager is running and both ends are in one partition");
      case CONNECT_ERROR -> unreachable(what, errno, "one of the two sides could not set up its queue pair: it may have no "
        + "more queue pairs, or have ended", ". Try again, and see the peer's log");
      default -> unreachable(what, errno, "the event was not expected in this state");
    };
  }

  private static ProviderException rejectedByTcp(String who, CmEvent event) {
    return switch (-event.status()) {
      case Errno.ECONNREFUSED ->
        new ProviderException(Reason.REFUSED, Errno.ECONNREFUSED, who + ": " + CmReject.INVALID_SERVICE_ID.words);
      case Errno.ETIMEDOUT -> new ProviderException(Reason.TIMEOUT, Errno.ETIMEDOUT, who + ": the peer did not answer in time");
      default -> new ProviderException(Reason.REJECTED, Math.max(0, -event.status()), who + ": the peer rejected the connection",
        CmPrivateData.received(event.privateData(), true), null);
    };
  }

  private static ProviderException rejected(String who, CmEvent event) {
    CmReject reject = CmReject.of(event.status());
    if (reject == CmReject.CONSUMER_DEFINED) {
      return new ProviderException(Reason.REJECTED, 0, who + ": the peer rejected the connection",
        CmPrivateData.received(event.privateData(), false), null);
    }
    if (reject == CmReject.INVALID_SERVICE_ID || event.status() == -Errno.ECONNREFUSED) {
      return new ProviderException(Reason.REFUSED, Errno.ECONNREFUSED, who + ": " + CmReject.INVALID_SERVICE_ID.words);
    }
    return new ProviderException(reject == null ? Reason.UNREACHABLE : reject.reason, Math.max(0, -event.status()),
      who + ": the peer's connection manager rejected the connection: " + (reject == null ? "reason " + event.status()
        : reject.words + " (reason " + event.status() + ", " + reject + ")"));
  }

  static ProviderException unreachable(String who, int errno, String what) {
    return unreachable(who, errno, what, "");
  }

  private static ProviderException unreachable(String who, int errno, String what, String remedy) {
    Reason reason = switch (errno) {
      case Errno.ETIMEDOUT -> Reason.TIMEOUT;
      case Errno.ECONNREFUSED -> Reason.REFUSED;
      case Errno.EACCES, Errno.EPERM -> Reason.PERMISSION;
      case Errno.ENOMEM, Errno.EMFILE -> Reason.LIMIT;
      case Errno.EADDRINUSE -> Reason.ADDRESS_IN_USE;
      case Errno.ECONNRESET, Errno.ENOTCONN -> Reason.DISCONNECTED;
      default -> Reason.UNREACHABLE;
    };
    return new ProviderException(reason, errno, who + ": " + what + (errno == 0 ? "" : ": " + Errno.describe(errno)) + remedy);
  }
}
