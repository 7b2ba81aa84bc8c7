package io.github.vertxrdma.provider.devices.mutant;

import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.contract.Pair;
import io.github.vertxrdma.provider.contract.ProviderContract;
import io.github.vertxrdma.provider.devices.forward.ForwardingDomain;
import io.github.vertxrdma.provider.devices.forward.ForwardingQueue;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Checks that the contract fails on devices with one defect each. A test that passes on them tests nothing. */
@Timeout(60)
class ContractCatchesTest {
  private static final String PATIENCE = "vertx.rdma.test.patience";

  @BeforeAll
  static void impatient() {
    System.setProperty(PATIENCE, "300");
  }

  @AfterAll
  static void patientAgain() {
    System.clearProperty(PATIENCE);
  }

  private interface Part {
    void run(ProviderContract contract) throws Exception;
  }

  private interface PairPart {
    void run(ProviderContract contract, Pair pair) throws Exception;
  }

  private static void fails(Device device, PairPart part) {
    fails(device, contract -> {
      try (Pair pair = Pair.connected(device)) {
        part.run(contract, pair);
      }
    });
  }

  private static void fails(Device device, Part part) {
    assertThrows(Throwable.class, () -> part.run(new ProviderContract() {
      @Override
      public Device device() {
        return device;
      }

      @Override
      public int roundTrips() {
        return 200;
      }

      @Override
      public int manyConnections() {
        return 5;
      }
    }), "the contract let it pass");
  }

  private static void each(CompletionBatch batch, Operation operation, Consumer<Integer> change) {
    for (int i = batch.size() - 1; i >= 0; i--) {
      if (batch.operation(i) == operation) {
        change.accept(i);
      }
    }
  }

  @Test
  void contractFailsIfMessageIsLost() {
    int[] count = new int[1];
    fails(Mutant.completions(b -> each(b, Operation.RECEIVE, i -> {
      if (++count[0] == 9) {
        drop(b, i);
      }
    })), ProviderContract::messagesOfAllSizesBothWays);
  }

  @Test
  void contractFailsIfMessagesAreReordered() {
    fails(Mutant.endpoints((domain, queue, options, handler) -> new Mutant.Spoiled(domain, queue, options, handler) {
      private WorkRequest kept;

      @Override
      public int post(WorkRequest request) {
        if (request.id() % 20 == 19 && kept == null && request.operation() == Operation.SEND) {
          kept = new WorkRequest().set(request);
          return Status.OK;
        }
        int status = super.post(request);
        if (kept != null && status == Status.OK && super.post(kept) == Status.OK) {
          kept = null;
        }
        return status;
      }
    }), ProviderContract::messagesArriveInOrder);
  }

  @Test
  void contractFailsIfLengthIsWrong() {
    fails(Mutant.completions(b -> each(b, Operation.RECEIVE,
      i -> b.set(i, b.requestId(i), b.endpoint(i), Math.max(0, b.length(i) - 1)))), ProviderContract::messagesOfAllSizesBothWays);
  }

  @Test
  void contractFailsIfCompletedSendIsLostWithSender() {
    fails(Mutant.completions(b -> each(b, Operation.RECEIVE, i -> drop(b, i))),
      ProviderContract::messageWhoseSendCompletedArrivesAfterTheEndOfItsSender);
  }

  @Test
  void contractFailsIfSendIsDoneAndCompletes() {
    fails(Mutant.posts((request, post) -> post.applyAsInt(request) == Status.OK ? Status.DONE : Status.AGAIN),
      ProviderContract::sendThatIsDoneWhenItsPostReturnsMakesNoCompletion);
  }

  @Test
  void contractFailsIfRequestIdsHave32Bits() {
    fails(Mutant.completions(b -> each(b, Operation.SEND, i -> b.set(i, (int) b.requestId(i), b.endpoint(i), 0))),
      ProviderContract::requestIdsComeBackUnchanged);
  }

  @Test
  void contractFailsIfUnsignalledCompletionIsReported() {
    fails(Mutant.posts((request, post) -> post.applyAsInt(request.flags(request.flags() | PostFlags.SIGNALED))),
      ProviderContract::unsignalledPostsMakeNoCompletionAndFreeTheirSlots);
  }

  @Test
  void contractFailsIfRefusedPostIsSent() {
    int[] count = new int[1];
    fails(Mutant.posts((request, post) -> {
      int status = post.applyAsInt(request);
      return ++count[0] == 30 ? Status.AGAIN : status;
    }), ProviderContract::fullSendQueueReturnsAgainAndLosesNothing);
  }

  @Test
  void contractFailsIfRequestObjectIsKept() {
    fails(Mutant.endpoints((domain, queue, options, handler) -> new Mutant.Spoiled(domain, queue, options, handler) {
      private final List<WorkRequest> kept = new ArrayList<>();

      @Override
      public int post(WorkRequest request) {
        kept.add(request);
        return Status.OK;
      }

      @Override
      public int flush() {
        kept.forEach(super::post);
        return super.flush();
      }
    }), ProviderContract::requestAndItsListCanBeReusedAfterPost);
  }

  @Test
  void contractFailsIfRequestObjectIsChanged() {
    fails(Mutant.posts((request, post) -> {
      int status = post.applyAsInt(request);
      request.flags(0);
      return status;
    }), ProviderContract::requestAndItsListCanBeReusedAfterPost);
  }

  @Test
  void contractFailsIfWriteGoesToWrongPlace() {
    fails(Mutant.posts((request, post) -> {
      boolean moved = request.operation() == Operation.WRITE && request.length() == 7;
      return post.applyAsInt(moved ? request.remote(request.remote(), request.remoteOffset() + 1) : request);
    }), ProviderContract::announcedWritesOfAllSizesArrive);
  }

  @Test
  void contractFailsIfWriteIsAnnouncedBeforeItArrives() {
    fails(Mutant.posts((request, post) -> post.applyAsInt(request.operation() == Operation.WRITE ? request.length(0) : request)),
      ProviderContract::announcedWritesOfAllSizesArrive);
  }

  @Test
  void contractFailsIfWakeUpIsLost() {
    fails(new Mutant() {
      @Override
      public Domain open() {
        return new ForwardingDomain(this, raw().open()) {
          @Override
          protected ForwardingQueue newQueue(CompletionQueue behind) {
            return new ForwardingQueue(behind) {
              private int arms;

              @Override
              public boolean arm() {
                return ++arms % 10 == 0 || super.arm();
              }
            };
          }
        };
      }
    }, ProviderContract::pingPongsThatSleepLoseNoWakeUp);
  }

  @Test
  void contractFailsIfAnotherQueuePollsConnection() {
    fails(new Mutant() {
      @Override
      public Domain open() {
        return new ForwardingDomain(this, raw().open()) {
          private final List<CompletionQueue> all = new ArrayList<>();

          @Override
          protected ForwardingQueue newQueue(CompletionQueue behind) {
            all.add(behind);
            return new ForwardingQueue(behind) {
              @Override
              public int poll(CompletionBatch batch) {
                all.stream().filter(other -> other != behind).forEach(other -> other.poll(new CompletionBatch(1)));
                return super.poll(batch);
              }
            };
          }
        };
      }
    }, ProviderContract::onlyPollsOfItsOwnQueueChangeAConnection);
  }

  @Test
  void contractFailsIfRangesAreNotChecked() {
    fails(Mutant.posts((request, post) -> {
      int status = post.applyAsInt(request);
      return status == Status.REMOTE_RANGE && request.operation() == Operation.READ ? Status.OK : status;
    }), ProviderContract::rangesAreCheckedBeforePosting);
  }

  @Test
  void contractFailsIfPrivateDataIsTruncated() {
    fails(Mutant.endpoints((domain, queue, options, handler) -> new Mutant.Spoiled(domain, queue, options, handler) {
      @Override
      public void connect(EndpointAddress remote, byte[] privateData) {
        super.connect(remote, Arrays.copyOf(privateData, Math.min(50, privateData.length)));
      }
    }), ProviderContract::privateDataOfEveryLengthArrives);
  }

  @Test
  void contractFailsIfDisconnectIsReportedTwice() {
    fails(Mutant.endpoints((domain, queue, options, handler) -> new Mutant.Spoiled(domain, queue, options, handler) {
      @Override
      protected void onDisconnected(ProviderException cause) {
        super.onDisconnected(cause);
        super.onDisconnected(cause);
      }
    }), ProviderContract::disconnectByConnectorNotifiesBothSides);
  }

  @Test
  void contractFailsIfPeerIsNotNotifiedOfDisconnect() {
    fails(Mutant.endpoints((domain, queue, options, handler) -> new Mutant.Spoiled(domain, queue, options, handler) {
      @Override
      protected void onDisconnected(ProviderException cause) {
        if (!cause.getMessage().contains("peer")) {
          super.onDisconnected(cause);
        }
      }
    }), ProviderContract::disconnectByAcceptorNotifiesBothSides);
  }

  @Test
  void contractFailsIfClosedEndpointIsNotified() {
    fails(Mutant.endpoints((domain, queue, options, handler) -> new Mutant.Spoiled(domain, queue, options, handler) {
      @Override
      public void close() {
        super.close();
        super.onDisconnected(new ProviderException(ProviderException.Reason.DISCONNECTED, "late"));
      }
    }), ProviderContract::closedEndpointIsNotNotified);
  }

  @Test
  void contractFailsIfImmediatesHave16Bits() {
    fails(Mutant.completions(b -> each(b, Operation.REMOTE_WRITE, i -> b.immediate(i, b.immediate(i) & 0xffff))),
      ProviderContract::writesWithImmediateNotifyTheTarget);
  }

  @Test
  void contractFailsIfForgedKeyIsAccepted() {
    MemoryRegion[] last = new MemoryRegion[1];
    fails(new Mutant() {
      @Override
      public Domain open() {
        return new ForwardingDomain(this, raw().open()) {
          @Override
          public MemoryRegion register(MemorySegment memory, Set<Access> access) {
            MemoryRegion region = super.register(memory, access);
            last[0] = memory.byteSize() == 4096 ? region : last[0];
            return region;
          }

          @Override
          public RemoteMemory remoteMemory(long remoteAddress, long length, byte[] key) {
            return super.remoteMemory(last[0].remoteAddress(), length, last[0].remoteKey());
          }
        };
      }
    }, ProviderContract::forgedKeyWritesNothingAndBlocksNothing);
  }

  @Test
  void contractFailsIfCompletionNamesWrongEndpoint() {
    Endpoint[] first = new Endpoint[1];
    fails(Mutant.completions(b -> each(b, Operation.RECEIVE, i -> {
      first[0] = first[0] == null ? b.endpoint(i) : first[0];
      b.set(i, b.requestId(i), first[0], b.length(i));
    })), ProviderContract::manyConnectionsOnOneQueue);
  }

  @Test
  void contractFailsIfFlushDoesNothing() {
    fails(Mutant.endpoints((domain, queue, options, handler) -> new Mutant.Spoiled(domain, queue, options, handler) {
      @Override
      public int flush() {
        return Status.OK;
      }
    }), ProviderContract::heldPostsAreSentWithTheNextPostOrFlush);
  }

  @Test
  void contractFailsIfHeapMemoryIsRegistered() {
    fails(new Mutant() {
      @Override
      public Domain open() {
        return new ForwardingDomain(this, raw().open()) {
          @Override
          public MemoryRegion register(MemorySegment memory, Set<Access> access) {
            return super.register(memory.isNative() ? memory : Arena.global().allocate(memory.byteSize()), access);
          }
        };
      }
    }, contract -> {
      try (Domain domain = contract.device().open()) {
        contract.heapMemoryIsRefusedByName(domain);
      }
    });
  }

  @Test
  void contractFailsIfReadOverrunsItsMemory() {
    fails(Mutant.posts((request, post) -> {
      int status = post.applyAsInt(request);
      if (status == Status.OK && request.operation() == Operation.READ && request.length() > 0) {
        request.region().segment().set(ValueLayout.JAVA_BYTE, request.offset() + request.length(), (byte) 1);
      }
      return status;
    }), ProviderContract::readsOfAllSizesByEitherSide);
  }

  @Test
  void contractFailsIfAtomicIsNotAtomic() {
    int[] count = new int[1];
    fails(Mutant.posts((request, post) -> {
      boolean lost = request.operation() == Operation.FETCH_ADD && ++count[0] == 77;
      return post
        .applyAsInt(lost ? new WorkRequest().fetchAdd(request.region(), request.offset(), request.remote(), request.remoteOffset(), 0)
          .id(request.id()).flags(request.flags()) : request);
    }), ProviderContract::additionsOverTwoConnectionsAddUp);
  }

  @Test
  void contractFailsIfInlineDataIsReadLater() {
    fails(Mutant.endpoints((domain, queue, options, handler) -> new Mutant.Spoiled(domain, queue, options, handler) {
      private Runnable late;

      @Override
      public int post(WorkRequest request) {
        if (request.operation() != Operation.SEND || (request.flags() & PostFlags.INLINE) == 0 || request.length() > inlineSize()) {
          return super.post(request);
        }
        WorkRequest copy = new WorkRequest().set(request);
        late = () -> super.post(copy);
        return Status.OK;
      }

      @Override
      public void close() {
        late.run();
        super.close();
      }
    }), ProviderContract::inlineDataIsCopiedBeforeTheCallReturns);
  }

  @Test
  void contractFailsIfWorkIsForgottenAtDisconnect() {
    fails(Mutant.completions(b -> each(b, Operation.SEND, i -> {
      if (b.status(i) == Status.FLUSHED) {
        drop(b, i);
      }
    })), ProviderContract::workOutstandingAtADisconnectIsFlushedOrDone);
  }

  private static void drop(CompletionBatch batch, int i) {
    for (int later = i + 1; later < batch.size(); later++) {
      batch.move(later, later - 1);
    }
    batch.cut(batch.size() - 1);
  }
}
