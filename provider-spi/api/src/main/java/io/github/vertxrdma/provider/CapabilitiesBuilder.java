package io.github.vertxrdma.provider;

import java.util.EnumSet;
import java.util.Set;

public final class CapabilitiesBuilder {
  private Set<Operation> operations;
  private Set<Capabilities.Order> orders;
  private int immediateBits;
  private boolean immediateConsumesReceive;
  private boolean deliveryComplete;
  private Capabilities.SendCompletion sendCompletion;
  private Capabilities.NoReceive noReceive;
  private Capabilities.KeyMode keyMode;
  private Capabilities.AddressBase addressBase;
  private Capabilities.Progress progress;
  private boolean peerFailureEvents;
  private Waiting waiting;
  private boolean sharedReceive;
  private boolean sharedReceiveOnly;
  private int messagePrefix;
  private int reservedReceives;
  private boolean pinned;
  private Set<Capabilities.Connecting> connecting;
  private boolean processorAtomics;
  private boolean maps;
  private boolean kernelSocket;
  private boolean receivesInPlace;
  private boolean singleEndpoint;

  CapabilitiesBuilder(Capabilities from) {
    operations = from.operations();
    orders = from.orders();
    immediateBits = from.immediateBits();
    immediateConsumesReceive = from.immediateConsumesReceive();
    deliveryComplete = from.deliveryComplete();
    sendCompletion = from.sendCompletion();
    noReceive = from.noReceive();
    keyMode = from.keyMode();
    addressBase = from.addressBase();
    progress = from.progress();
    peerFailureEvents = from.peerFailureEvents();
    waiting = from.waiting();
    sharedReceive = from.sharedReceive();
    sharedReceiveOnly = from.sharedReceiveOnly();
    messagePrefix = from.messagePrefix();
    reservedReceives = from.reservedReceives();
    pinned = from.pinned();
    connecting = from.connecting();
    processorAtomics = from.processorAtomics();
    maps = from.maps();
    kernelSocket = from.kernelSocket();
    receivesInPlace = from.receivesInPlace();
    singleEndpoint = from.singleEndpoint();
  }

  public CapabilitiesBuilder operations(Set<Operation> value) {
    operations = value;
    return this;
  }

  public CapabilitiesBuilder orders(Set<Capabilities.Order> value) {
    orders = value;
    return this;
  }

  public CapabilitiesBuilder immediateBits(int value) {
    immediateBits = value;
    return this;
  }

  public CapabilitiesBuilder immediateConsumesReceive(boolean value) {
    immediateConsumesReceive = value;
    return this;
  }

  public CapabilitiesBuilder deliveryComplete(boolean value) {
    deliveryComplete = value;
    return this;
  }

  public CapabilitiesBuilder sendCompletion(Capabilities.SendCompletion value) {
    sendCompletion = value;
    return this;
  }

  public CapabilitiesBuilder noReceive(Capabilities.NoReceive value) {
    noReceive = value;
    return this;
  }

  public CapabilitiesBuilder keyMode(Capabilities.KeyMode value) {
    keyMode = value;
    return this;
  }

  public CapabilitiesBuilder addressBase(Capabilities.AddressBase value) {
    addressBase = value;
    return this;
  }

  public CapabilitiesBuilder progress(Capabilities.Progress value) {
    progress = value;
    return this;
  }

  public CapabilitiesBuilder peerFailureEvents(boolean value) {
    peerFailureEvents = value;
    return this;
  }

  public CapabilitiesBuilder waiting(Waiting value) {
    waiting = value;
    return this;
  }

  public CapabilitiesBuilder sharedReceive(boolean value) {
    sharedReceive = value;
    return this;
  }

  public CapabilitiesBuilder sharedReceiveOnly(boolean value) {
    sharedReceiveOnly = value;
    return this;
  }

  public CapabilitiesBuilder messagePrefix(int value) {
    messagePrefix = value;
    return this;
  }

  public CapabilitiesBuilder reservedReceives(int value) {
    reservedReceives = value;
    return this;
  }

  public CapabilitiesBuilder pinned(boolean value) {
    pinned = value;
    return this;
  }

  public CapabilitiesBuilder connecting(Set<Capabilities.Connecting> value) {
    connecting = value;
    return this;
  }

  public CapabilitiesBuilder processorAtomics(boolean value) {
    processorAtomics = value;
    return this;
  }

  public CapabilitiesBuilder maps(boolean value) {
    maps = value;
    return this;
  }

  public CapabilitiesBuilder kernelSocket(boolean value) {
    kernelSocket = value;
    return this;
  }

  public CapabilitiesBuilder receivesInPlace(boolean value) {
    receivesInPlace = value;
    return this;
  }

  public CapabilitiesBuilder singleEndpoint(boolean value) {
    singleEndpoint = value;
    return this;
  }

  public CapabilitiesBuilder add(Operation... more) {
    Set<Operation> all = EnumSet.copyOf(operations);
    all.addAll(Set.of(more));
    return operations(all);
  }

  public CapabilitiesBuilder remove(Operation... gone) {
    Set<Operation> all = EnumSet.copyOf(operations);
    all.removeAll(Set.of(gone));
    return operations(all);
  }

  private boolean atomics() {
    return operations.contains(Operation.FETCH_ADD) && operations.contains(Operation.COMPARE_SWAP);
  }

  public Capabilities build() {
    return new Capabilities(operations, orders, immediateBits, immediateConsumesReceive, deliveryComplete, sendCompletion, noReceive,
      keyMode, addressBase, progress, peerFailureEvents, waiting, sharedReceive, sharedReceiveOnly, messagePrefix, reservedReceives, pinned,
      connecting, processorAtomics && atomics(), maps, kernelSocket, receivesInPlace, singleEndpoint);
  }
}
