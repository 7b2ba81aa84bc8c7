package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.provider.EndpointAddress;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/** Connection requests of peers: unanswered and accepted ones, and the last rejections. */
final class ConnectionRequests {
  /** Maximum number of unanswered requests. Further ones are ignored; peers repeat them. */
  static final int MOST = 4096;
  /** Time without a repetition after which a request is dropped. A peer repeats it every second. */
  static final long EXPIRY_NANOS = 10_000_000_000L;

  private final ConnectedQueue queue;
  /** Unanswered requests by the peer's connection id, the last repeated one last. */
  final LinkedHashMap<Long, RdmConnectionRequest> open = new LinkedHashMap<>(16, 0.75f, true);
  private final Map<Long, RdmConnection> accepted = new HashMap<>();
  /** Answers to repetitions of the last answered requests; null if a repetition gets none. */
  private final Map<Long, ControlMessage> answers = new RdmConnections.Latest<>();

  ConnectionRequests(ConnectedQueue queue) {
    this.queue = queue;
  }

  void requested(ControlMessage req) {
    EndpointAddress address = req.address();
    SharedEndpoint shared = queue.endpoints.current;
    if (shared == null || address == null || !address.format().equals(shared.address().format()) || req.sender() == 0
      || req.privateData().length > RdmLayer.PRIVATE_DATA) {
      return;
    }
    RdmConnection connection = accepted.get(req.sender());
    RdmConnectionRequest waiting = open.get(req.sender());
    if (connection != null) {
      connection.reactTo(MessageType.REQ, req);
    } else if (waiting != null) {
      waiting.lastHeard = queue.domain.now();
    } else if (answers.containsKey(req.sender())) {
      ControlMessage answer = answers.get(req.sender());
      if (answer != null) {
        shared.answer(address, answer);
      }
    } else if (queue.listener == null || ControlMessage.VERSIONS.common(req.versions()) == 0) {
      shared.answer(address, ControlMessage.no(MessageType.REFUSE, req, shared.epoch, ControlMessage.NOTHING));
    } else if (open.size() < MOST) {
      RdmListener listener = queue.listener;
      RdmConnectionRequest request = new RdmConnectionRequest(queue, listener, req, queue.domain.now());
      open.put(req.sender(), request);
      queue.arrivals.add(() -> listener.deliver(request));
    } else {
      queue.deferred++;
    }
  }

  void accepted(ControlMessage req, RdmConnection connection) {
    open.remove(req.sender());
    accepted.put(req.sender(), connection);
  }

  /** Sends an answer that rejects a request, and keeps the answer for repetitions of the request. */
  void rejected(ControlMessage req, byte[] privateData) {
    open.remove(req.sender());
    SharedEndpoint shared = queue.endpoints.current;
    ControlMessage answer = ControlMessage.no(MessageType.REJ, req, shared == null ? 0 : shared.epoch, privateData);
    answers.put(req.sender(), answer);
    if (shared != null) {
      shared.answer(req.address(), answer);
    }
  }

  /** Removes an ended connection. Repetitions of its REQ get no answer. */
  void ended(RdmConnection connection) {
    if (accepted.remove(connection.remoteId, connection)) {
      answers.put(connection.remoteId, null);
    }
  }

  void expire(long now) {
    while (!open.isEmpty() && now - open.firstEntry().getValue().lastHeard > EXPIRY_NANOS) {
      open.pollFirstEntry();
      queue.deferred++;
    }
  }
}
