package io.github.vertxrdma.functions.impl;

import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.functions.Bill;
import io.github.vertxrdma.functions.FunctionException;
import io.github.vertxrdma.functions.FunctionException.Reason;
import io.github.vertxrdma.functions.WorkerMode;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Connection of a client at the server. Each JSON request has one answer. The end of the connection ends the client's leases. */
final class ServerSession {
  private final FunctionServerImpl server;
  private final RdmaConnection connection;
  /** Lease that ended last. A late request to end it is no refusal. */
  private long lastEnded;
  private boolean ended;
  /** True while a jar is checked. Further messages wait in the connection. */
  private boolean checking;
  /** Request whose code is the next message; null for none. */
  private Announced announced;

  /** @param refused true if the request was answered, so that the code is ignored */
  private record Announced(long number, LeaseRequest asked, int bytes, boolean bySecret, byte[] signature, boolean refused) {
  }

  ServerSession(FunctionServerImpl server, RdmaConnection connection) {
    this.server = server;
    this.connection = connection;
    connection.closeHandler(v -> closed());
    connection.endHandler(v -> connection.close());
    connection.drainHandler(v -> resumeReading());
    connection.handler(this::message);
  }

  private void resumeReading() {
    if (!checking && !connection.writeQueueFull()) {
      connection.resume();
    }
  }

  private void closed() {
    ended = true;
    for (GrantedLease lease : List.copyOf(server.leases.values())) {
      if (lease.session == this) {
        lease.session = null;
        server.end(lease, Reason.LEASE_ENDED, "its client, node " + connection.remoteNodeId() + ", has disconnected");
      }
    }
  }

  private void message(Buffer message) {
    if (ended) {
      // The client disconnected during a check of code.
      return;
    }
    if (announced != null) {
      Announced code = announced;
      announced = null;
      arrived(code, message);
      return;
    }
    JsonObject request;
    try {
      request = Wire.json(message);
    } catch (RuntimeException e) {
      server.refusals.increment();
      connection.close();
      return;
    }
    long number = 0;
    try {
      number = request.getLong("request", 0L);
      switch (request.getString("op", "")) {
        case "lease" -> lease(number, request);
        case "renew" -> {
          GrantedLease lease = leaseOf(request);
          reply(number, new JsonObject().put("millis", server.expireIn(lease, request.getLong("millis"))));
        }
        case "bill" -> reply(number, new JsonObject().put("bill", leaseOf(request).bill().toJson()));
        // The notification of the end is the answer.
        case "end" -> server.end(leaseOf(request), Reason.LEASE_ENDED, "its client ended it");
        default -> throw new FunctionException(Reason.PROTOCOL, "server " + server.name + " does not know the request "
          + "'" + request.getString("op") + "'");
      }
    } catch (FunctionException e) {
      refuse(number, e.reason(), e.getMessage());
    } catch (RuntimeException e) {
      refuse(number, Reason.PROTOCOL, "server " + server.name + " cannot read the request " + request.encode() + ": " + Wire.words(e));
    }
  }

  private void lease(long number, JsonObject request) {
    LeaseRequest asked = LeaseRequest.of(request, connection.remoteNodeId());
    JsonObject code = request.getJsonObject("code");
    if (code == null) {
      grant(number, asked, null);
      return;
    }
    int bytes = code.getInteger("bytes");
    byte[] signature = code.getBinary("signature");
    String why = null;
    if (server.options.getCode() == null) {
      why = "it accepts no code; allow signed code with FunctionServerOptions.setCode";
    } else if (asked.mode() != WorkerMode.COLD) {
      why = "code runs in cold workers only";
    } else if (bytes > server.options.getCode().getMaxBytes()) {
      why = "it has " + bytes + " bytes, and " + server.options.getCode().getMaxBytes() + " are allowed";
    } else if (signature == null || signature.length == 0) {
      why = "it is not signed";
    }
    announced = new Announced(number, asked, bytes, code.getBoolean("secret"), signature, why != null);
    if (why != null) {
      refuseCode(announced, why);
    }
  }

  private void arrived(Announced code, Buffer jar) {
    if (code.refused) {
      return;
    }
    if (jar.length() != code.bytes) {
      refuseCode(code, "it has " + jar.length() + " bytes, but " + code.bytes + " were announced");
      return;
    }
    checking = true;
    connection.pause();
    server.isGood(jar, code.bySecret, code.signature).onComplete(checked -> {
      checking = false;
      resumeReading();
      if (checked.failed()) {
        refuseCode(code, "its signature cannot be checked: " + Wire.words(checked.cause()));
      } else if (!checked.result()) {
        refuseCode(code, code.bySecret ? "it is not signed with the secret of this server"
          : "it is not signed with a key that this server allows");
      } else if (!ended) {
        try {
          grant(code.number, code.asked, jar);
        } catch (FunctionException e) {
          refuse(code.number, e.reason(), e.getMessage());
        }
      }
    });
  }

  private void refuseCode(Announced code, String why) {
    server.refusals.increment();
    refuse(code.number, Reason.CODE_REFUSED, "server " + server.name + " refused the code of node " + connection.remoteNodeId() + ": "
      + why);
  }

  private void grant(long number, LeaseRequest asked, Buffer code) {
    GrantedLease lease = server.grant(this, asked);
    JsonArray workers = new JsonArray();
    lease.workers.forEach(worker -> workers.add(worker.name()));
    server.begin(lease, code).onComplete(begun -> {
      if (begun.succeeded() && !lease.ended) {
        long start = asked.mode() == WorkerMode.COLD ? TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - lease.begun) : 0;
        reply(number,
          new JsonObject().put("version", asked.version()).put("lease", lease.name()).put("secret", Long.toHexString(lease.secret))
            .put("startMillis", start)
            .put("millis", server.expireIn(lease, asked.millis())).put("workers", workers).put("functions", begun.result()));
      } else {
        String words = "a worker process of server " + server.name + " did not start: " + (begun.failed() ? Wire.words(begun.cause())
          : "its lease has ended");
        // Code whose process reports an error fails on other servers too. If the process only ended, it may run there.
        boolean itsCode = code != null && begun.cause() instanceof FunctionException failed && failed.reason() == Reason.CODE_REFUSED;
        if (itsCode) {
          server.refusals.increment();
        }
        refuse(number, itsCode ? Reason.CODE_REFUSED : Reason.NO_CAPACITY, words);
        server.end(lease, Reason.WORKER_LOST, words);
      }
    });
  }

  private GrantedLease leaseOf(JsonObject request) {
    String id = request.getString("lease", "");
    long number = id.isEmpty() ? 0 : Long.parseUnsignedLong(id, 16);
    GrantedLease lease = id.isEmpty() ? null : server.leases.get(number);
    boolean isOwn = lease != null && lease.session == this;
    if (!isOwn || lease.ended) {
      boolean late = "end".equals(request.getString("op")) && (isOwn || !id.isEmpty() && number == lastEnded);
      if (!late) {
        server.refusals.increment();
      }
      throw new FunctionException(Reason.LEASE_ENDED, "lease " + id + " has ended, or is not one of this client; ask for a new one");
    }
    return lease;
  }

  private void reply(long number, JsonObject answer) {
    if (!ended) {
      connection.write(answer.put("request", number).toBuffer());
      if (connection.writeQueueFull()) {
        // Reads no requests of a client that does not read answers.
        connection.pause();
      }
    }
  }

  private void refuse(long number, Reason reason, String words) {
    reply(number, new JsonObject().put("refused", reason.name()).put("words", Wire.cut(words)));
  }

  void ended(GrantedLease lease, Reason reason, String why, Bill bill) {
    lastEnded = lease.id;
    if (!ended) {
      connection.write(new JsonObject().put("ended", lease.name()).put("reason", reason.name()).put("words", why)
        .put("bill", bill.toJson()).toBuffer());
    }
  }
}
