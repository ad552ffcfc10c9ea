;; The loops that a tail of losses spends its time in: tail-kernel.ts says what they do and why they are written here.
;; An address is a byte offset into the memory; losses, returns, notionals and values are doubles, an order's slots 16 bit,
;; scenarios and the addresses of columns 32 bit.
(module
  (import "tails" "memory" (memory 16 32768 shared))

  ;; Losses of the eight slots of a block, 0 - sum of notional x return, position by position: two slots a vector.
  (func $fillBlock
    (param $slot i32) (param $losses i32) (param $columns i32) (param $notionals i32) (param $positions i32)
    (local $first i32) (local $end i32) (local $at i32) (local $notional v128)
    (local $loss01 v128) (local $loss23 v128) (local $loss45 v128) (local $loss67 v128)
    (local.set $first (i32.shl (i32.and (local.get $slot) (i32.const -8)) (i32.const 3)))
    (local.set $end (i32.add (local.get $columns) (i32.shl (local.get $positions) (i32.const 2))))
    (block $done
      (loop $position
        (br_if $done (i32.ge_u (local.get $columns) (local.get $end)))
        (local.set $at (i32.add (i32.load (local.get $columns)) (local.get $first)))
        (local.set $notional (v128.load64_splat (local.get $notionals)))
        (local.set $loss01
          (f64x2.sub (local.get $loss01) (f64x2.mul (local.get $notional) (v128.load (local.get $at)))))
        (local.set $loss23
          (f64x2.sub (local.get $loss23) (f64x2.mul (local.get $notional) (v128.load offset=16 (local.get $at)))))
        (local.set $loss45
          (f64x2.sub (local.get $loss45) (f64x2.mul (local.get $notional) (v128.load offset=32 (local.get $at)))))
        (local.set $loss67
          (f64x2.sub (local.get $loss67) (f64x2.mul (local.get $notional) (v128.load offset=48 (local.get $at)))))
        (local.set $columns (i32.add (local.get $columns) (i32.const 4)))
        (local.set $notionals (i32.add (local.get $notionals) (i32.const 8)))
        (br $position)))
    (local.set $at (i32.add (local.get $losses) (local.get $first)))
    (v128.store (local.get $at) (local.get $loss01))
    (v128.store offset=16 (local.get $at) (local.get $loss23))
    (v128.store offset=32 (local.get $at) (local.get $loss45))
    (v128.store offset=48 (local.get $at) (local.get $loss67)))

  ;; Fills the blocks of slots [from, count) whose first loss is not known. "from" begins a block.
  (func (export "fillMissing")
    (param $from i32) (param $count i32)
    (param $losses i32) (param $columns i32) (param $notionals i32) (param $positions i32)
    (local $loss f64)
    (block $done
      (loop $block
        (br_if $done (i32.ge_u (local.get $from) (local.get $count)))
        (local.set $loss (f64.load (i32.add (local.get $losses) (i32.shl (local.get $from) (i32.const 3)))))
        (if (f64.ne (local.get $loss) (local.get $loss))
          (then
            (call $fillBlock
              (local.get $from) (local.get $losses)
              (local.get $columns) (local.get $notionals) (local.get $positions))))
        (local.set $from (i32.add (local.get $from) (i32.const 8)))
        (br $block))))

  ;; Puts the loss of a slot, which stands last of those in order, where it belongs; the place that it got, an address in
  ;; the order. The larger loss comes first, of equal ones the earlier scenario.
  (func $sink
    (param $loss f64) (param $slot i32) (param $place i32) (param $value i32) (param $order i32) (param $scenarios i32)
    (result i32)
    (local $before f64)
    (block $placed
      (loop $next
        (br_if $placed (i32.le_u (local.get $place) (local.get $order)))
        (local.set $before (f64.load (i32.sub (local.get $value) (i32.const 8))))
        (if (i32.eqz (f64.gt (local.get $loss) (local.get $before)))
          (then
            (br_if $placed (f64.ne (local.get $loss) (local.get $before)))
            (br_if $placed
              (i32.ge_u
                (i32.load (i32.add (local.get $scenarios) (i32.shl (local.get $slot) (i32.const 2))))
                (i32.load
                  (i32.add
                    (local.get $scenarios)
                    (i32.shl (i32.load16_u (i32.sub (local.get $place) (i32.const 2))) (i32.const 2))))))))
        (f64.store (local.get $value) (local.get $before))
        (i32.store16 (local.get $place) (i32.load16_u (i32.sub (local.get $place) (i32.const 2))))
        (local.set $value (i32.sub (local.get $value) (i32.const 8)))
        (local.set $place (i32.sub (local.get $place) (i32.const 2)))
        (br $next)))
    (f64.store (local.get $value) (local.get $loss))
    (i32.store16 (local.get $place) (local.get $slot))
    (local.get $place))

  ;; 1, with the order and the values sorted; 0 where that takes more moves than one a loss and "spare" ones.
  (func (export "settle")
    (param $losses i32) (param $returns i32) (param $change f64) (param $order i32) (param $length i32)
    (param $values i32) (param $scenarios i32)
    (param $columns i32) (param $notionals i32) (param $positions i32) (param $spare i32)
    (result i32)
    (local $place i32) (local $value i32) (local $end i32) (local $slot i32) (local $loss f64) (local $last f64)
    (local.set $place (local.get $order))
    (local.set $value (local.get $values))
    (local.set $end (i32.add (local.get $order) (i32.shl (local.get $length) (i32.const 1))))
    (local.set $last (f64.const inf))
    (block $done
      (loop $rank
        (br_if $done (i32.ge_u (local.get $place) (local.get $end)))
        (local.set $slot (i32.load16_u (local.get $place)))
        (local.set $loss (f64.load (i32.add (local.get $losses) (i32.shl (local.get $slot) (i32.const 3)))))
        (if (f64.ne (local.get $loss) (local.get $loss))
          (then
            (call $fillBlock
              (local.get $slot) (local.get $losses)
              (local.get $columns) (local.get $notionals) (local.get $positions))
            (local.set $loss
              (f64.load (i32.add (local.get $losses) (i32.shl (local.get $slot) (i32.const 3)))))))
        (local.set $loss
          (f64.sub
            (local.get $loss)
            (f64.mul
              (local.get $change)
              (f64.load (i32.add (local.get $returns) (i32.shl (local.get $slot) (i32.const 3)))))))
        (local.set $spare (i32.add (local.get $spare) (i32.const 1)))
        (if (f64.gt (local.get $last) (local.get $loss))
          (then
            (f64.store (local.get $value) (local.get $loss))
            (local.set $last (local.get $loss)))
          (else
            (local.set $spare
              (i32.sub
                (local.get $spare)
                (i32.shr_u
                  (i32.sub
                    (local.get $place)
                    (call $sink
                      (local.get $loss) (local.get $slot) (local.get $place) (local.get $value)
                      (local.get $order) (local.get $scenarios)))
                  (i32.const 1))))
            (if (i32.lt_s (local.get $spare) (i32.const 0)) (then (return (i32.const 0))))
            (local.set $last (f64.load (local.get $value)))))
        (local.set $place (i32.add (local.get $place) (i32.const 2)))
        (local.set $value (i32.add (local.get $value) (i32.const 8)))
        (br $rank)))
    (i32.const 1))

  ;; Keeps the changed losses of slots [0, count), loss - change x return, that are not below "least", and their slots, in
  ;; the order of the slots; their number. Of four side by side mostly none is kept, and one comparison of them says so.
  (func (export "keepReaching")
    (param $losses i32) (param $returns i32) (param $change f64) (param $least f64) (param $count i32)
    (param $values i32) (param $slots i32)
    (result i32)
    (local $slot i32) (local $end i32) (local $first i32) (local $loss f64)
    (local $changes v128) (local $leasts v128)
    (local.set $first (local.get $slots))
    (local.set $changes (f64x2.splat (local.get $change)))
    (local.set $leasts (f64x2.splat (local.get $least)))
    (block $done
      (loop $four
        (br_if $done (i32.ge_u (local.get $slot) (local.get $count)))
        (local.set $end (i32.add (local.get $slot) (i32.const 4)))
        (if
          (i64x2.all_true
            (v128.and
              (f64x2.lt
                (f64x2.sub
                  (v128.load (local.get $losses))
                  (f64x2.mul (local.get $changes) (v128.load (local.get $returns))))
                (local.get $leasts))
              (f64x2.lt
                (f64x2.sub
                  (v128.load offset=16 (local.get $losses))
                  (f64x2.mul (local.get $changes) (v128.load offset=16 (local.get $returns))))
                (local.get $leasts))))
          (then
            (local.set $slot (local.get $end))
            (local.set $losses (i32.add (local.get $losses) (i32.const 32)))
            (local.set $returns (i32.add (local.get $returns) (i32.const 32)))
            (br $four)))
        ;; What stands behind the last slot does not matter.
        (if (i32.gt_u (local.get $end) (local.get $count)) (then (local.set $end (local.get $count))))
        (loop $one
          (local.set $loss
            (f64.sub
              (f64.load (local.get $losses))
              (f64.mul (local.get $change) (f64.load (local.get $returns)))))
          (if (i32.eqz (f64.lt (local.get $loss) (local.get $least)))
            (then
              (f64.store (local.get $values) (local.get $loss))
              (i32.store (local.get $slots) (local.get $slot))
              (local.set $values (i32.add (local.get $values) (i32.const 8)))
              (local.set $slots (i32.add (local.get $slots) (i32.const 4)))))
          (local.set $slot (i32.add (local.get $slot) (i32.const 1)))
          (local.set $losses (i32.add (local.get $losses) (i32.const 8)))
          (local.set $returns (i32.add (local.get $returns) (i32.const 8)))
          (br_if $one (i32.lt_u (local.get $slot) (local.get $end))))
        (br $four)))
    (i32.shr_u (i32.sub (local.get $slots) (local.get $first)) (i32.const 2)))
)
