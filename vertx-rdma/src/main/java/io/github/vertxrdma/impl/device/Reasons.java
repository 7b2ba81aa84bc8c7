package io.github.vertxrdma.impl.device;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.base.PeerText;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.Status;
import java.util.List;

/** Maps statuses and errors of a provider to a {@link Reason}. */
public final class Reasons {
  private Reasons() {
  }

  public static Reason ofEnd(ProviderException.Reason why) {
    return switch (why) {
      case REJECTED -> Reason.REJECTED;
      case REFUSED, UNREACHABLE, TIMEOUT -> Reason.UNREACHABLE;
      case LIMIT -> Reason.LIMIT;
      case UNSUPPORTED -> Reason.UNSUPPORTED;
      default -> Reason.CONNECTION_LOST;
    };
  }

  /** Returns whether the peer has disconnected or ended. */
  public static boolean isByPeer(ProviderException end) {
    return end.reason() == ProviderException.Reason.DISCONNECTED || end.reason() == ProviderException.Reason.PEER_ENDED;
  }

  /** @param status a {@link Status} */
  public static Reason of(int status) {
    return switch (status) {
      case Status.REMOTE_ACCESS, Status.LOCAL_PROTECTION -> Reason.ACCESS_DENIED;
      case Status.REMOTE_RANGE -> Reason.OUT_OF_RANGE;
      case Status.UNSUPPORTED -> Reason.UNSUPPORTED;
      case Status.LIMIT -> Reason.LIMIT;
      case Status.LOCAL_RANGE, Status.FAILED -> Reason.OTHER;
      // The queue pair is in its error state.
      default -> Reason.CONNECTION_LOST;
    };
  }

  /** Returns the reason of a failure. {@code IllegalArgumentException} means invalid data from a peer. */
  public static Reason of(Throwable failure) {
    return failure instanceof RdmaException known ? known.reason()
      : failure instanceof IllegalArgumentException ? Reason.PROTOCOL : Reason.OTHER;
  }

  /** Returns the exception for operations in flight at a close, whose effect is unknown. */
  public static Throwable ofInFlight(Throwable end) {
    return of(end, true);
  }

  /** Returns the exception for operations not posted before a close, which have no effect. */
  public static Throwable ofUnsent(Throwable end) {
    return of(end, false);
  }

  private static Throwable of(Throwable end, boolean effectUnknown) {
    return end instanceof RdmaException cause && cause.isEffectUnknown() != effectUnknown
      ? new RdmaException(cause.reason(), cause.getMessage(), cause.getCause(), effectUnknown) : end;
  }

  /**
   * Returns the message that the peer sent when it closed an endpoint, otherwise that of the exception.
   *
   * @param device its name is omitted
   */
  public static String words(ProviderException why, Device device) {
    return why.privateData().length > 0 ? PeerText.of(why.privateData()).trim() : words((Throwable) why, device);
  }

  /** Returns the message of a failure without a leading device or provider name. */
  public static String words(Throwable why, Device device) {
    String words = String.valueOf(why.getMessage());
    for (String name : List.of(device.name(), device.provider())) {
      if (words.startsWith(name + ": ")) {
        return words.substring(name.length() + 2);
      }
    }
    return words;
  }
}
