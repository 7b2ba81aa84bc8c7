package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.base.Deadline;
import io.github.vertxrdma.base.PeerText;
import io.github.vertxrdma.impl.device.DeviceLoop;
import io.github.vertxrdma.impl.device.Grant;
import io.github.vertxrdma.impl.device.Reasons;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.ProviderException;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Handshake of one endpoint, which results in a link or a failure. Called on the event loop, for frames that the state allows. */
public abstract class LinkOpening<T> {
  private static final int REFUSED_MILLIS = 2_000;
  private static final int LONGEST_REASON = 1024;
  /** Reasons that a refusal can carry, by number. Other reasons are sent as REJECTED. */
  private static final List<Reason> REASONS = List.of(Reason.REJECTED, Reason.NOT_FOUND, Reason.LIMIT, Reason.TIMEOUT);

  final DeviceLoop loop;
  final FrameStream stream;
  final LinkIdentity identity;
  final LinkRole role;
  final int timeoutMillis;
  final Promise<T> promise = Promise.promise();
  private Deadline timer;
  private RdmaException refusal;

  LinkOpening(DeviceLoop loop, FrameStream stream, LinkIdentity identity, LinkRole role, int timeoutMillis) {
    this.loop = loop;
    this.stream = stream != null ? stream : new FrameStream(loop);
    this.identity = identity;
    this.role = role;
    this.timeoutMillis = timeoutMillis;
    this.stream.opening(this, role);
  }

  Future<T> future() {
    return promise.future();
  }

  abstract void connected(byte[] privateData);

  abstract void control(ControlFrame frame);

  void begin() {
    timer = loop.host.schedule(() -> stream.fail(new RdmaException(Reason.UNREACHABLE,
      stream.name() + " did not finish the handshake in " + timeoutMillis + " ms: " + missing())), timeoutMillis, TimeUnit.MILLISECONDS);
  }

  private String missing() {
    return switch (stream.state()) {
      case CONNECTING ->
        "the fabric has not connected. Check whether the peer's event loop is blocked, its process is stopped or has no file "
          + "descriptor left (see its log), or a firewall drops packets of the fabric";
      case DECIDING -> "this side has not answered the peer's greeting. Check whether a handshake handler of this side is still waiting";
      default -> "the fabric is connected, but the peer sent no greeting. Check whether its event loop is blocked or its process is "
        + "stopped";
    };
  }

  void handshakeEnded() {
    if (timer != null) {
      timer.cancel();
      timer = null;
    }
  }

  boolean isDeciding() {
    return stream.state() == LinkState.DECIDING && refusal == null;
  }

  /** Posts the receives for a peer that proved the cluster secret. The state DECIDING allows only CREDIT frames and refusals meanwhile. */
  void grant(Consumer<Grant> then) {
    stream.state(LinkState.DECIDING);
    stream.window().grantFirst().onComplete(granted -> {
      if (stream.isClosed() || stream.endpoint().state() == EndpointState.BROKEN) {
        return;
      }
      if (granted.failed()) {
        refuse(granted.cause());
        return;
      }
      try {
        then.accept(granted.result());
      } catch (RuntimeException e) {
        refuse(e);
      }
    });
  }

  void greet(int frame, Greeting greeting, Grant grant) {
    stream.credits.grantInGreeting(grant.minus(Grant.HANDSHAKE));
    stream.out.control(frame, 0, 0, 0, greeting.encode());
    loop.turn.dirty(stream);
  }

  /** Decodes a greeting. Fails the stream and returns null if the frame is invalid or a refusal. */
  Greeting greeting(ControlFrame frame) {
    if (frame.isRefusal()) {
      Reason reason = REASONS.get(frame.a > 0 && frame.a < REASONS.size() ? (int) frame.a : 0);
      stream.fail(new RdmaException(reason, stream.name() + " was refused: " + PeerText.of(frame.bytes())));
      return null;
    }
    return greeting(frame.bytes());
  }

  Greeting greeting(byte[] bytes) {
    try {
      return Greeting.decode(bytes);
    } catch (IllegalArgumentException e) {
      stream.violation("the peer sent an invalid greeting: " + e.getMessage());
      return null;
    }
  }

  /** Refuses the peer, or fails. A peer that did not prove the cluster secret gets a text without details. */
  void refuse(Throwable why) {
    if (role.isConnector() && !role.isExchanged()) {
      stream.fail(why);
      return;
    }
    promise.tryFail(why);
    if (stream.state().isOpen()) {
      // The acceptor threw an exception after it had accepted the link.
      stream.fail(why);
      return;
    }
    Reason reason = why instanceof RdmaException refused ? refused.reason() : Reason.REJECTED;
    sendRefusal(finalReason(reason),
      reason == Reason.NOT_AUTHENTIC ? "the cluster secret was not proved. Give all nodes the same secret" : why.getMessage());
  }

  /** Returns a reason without TIMEOUT, after which the connector would connect again. */
  static Reason finalReason(Reason reason) {
    return reason == Reason.TIMEOUT ? Reason.REJECTED : reason;
  }

  void sendRefusal(Reason reason, String words) {
    int number = Math.max(0, REASONS.indexOf(reason));
    byte[] bytes = String.valueOf(words).getBytes(StandardCharsets.UTF_8);
    refusal = new RdmaException(REASONS.get(number), String.valueOf(words));
    // After TIMEOUT the proof may still arrive, which is ignored.
    if (reason != Reason.TIMEOUT) {
      stream.state(LinkState.DECIDING);
    }
    stream.out.control(role.isConnector() ? Frame.HELLO : Frame.WELCOME, Frame.REFUSED, number, 0,
      bytes.length > LONGEST_REASON ? Arrays.copyOf(bytes, LONGEST_REASON) : bytes);
    handshakeEnded();
    if (!stream.isClosed()) {
      loop.host.schedule(() -> stream.fail(null), REFUSED_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  /** Returns whether the handshake failed as it does beside peers that end and servers that close. */
  public static boolean wasExpected(Throwable cause) {
    return wasAbandoned(cause) || Reasons.of(cause) == Reason.NOT_FOUND;
  }

  /** Returns whether the peer disconnected or was too slow, and sent nothing invalid. */
  private static boolean wasAbandoned(Throwable cause) {
    if (cause instanceof RdmaException failure) {
      return failure.reason() == Reason.UNREACHABLE || failure.getCause() instanceof ProviderException && wasAbandoned(failure.getCause());
    }
    return cause instanceof ProviderException end && Reasons.isByPeer(end);
  }

  String service() {
    return role.service();
  }

  boolean hasRefused() {
    return refusal != null;
  }

  /** Called before the endpoint closes. @param cause null if this side has refused the peer */
  void closed(Throwable cause) {
    handshakeEnded();
    promise.tryFail(refusal != null ? refusal : cause != null ? cause : stream.closeCause());
  }
}
